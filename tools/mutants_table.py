"""The wrong versions of the course that `make mutants` puts in: what each is, the old text and the new.

A row's text stands exactly once in its file; in a lesson, in its code cells. A row with a fourth entry is no wrong
version but a harmless one, and the entry says why: it must survive, or what judges it would fail without any mutant.
"""

from typing import NamedTuple


class Mutant(NamedTuple):
    """One change of one file.

    Parameters
    ----------
    kind : str
        "meaning" is judged by the lessons' stored outputs alone; the others by the unit tests.
    file : str
        Its path in the course.
    what : str
        What is wrong with it.
    old, new : str
        The text that is replaced, and by what.
    harmless : str
        Why it must survive; empty for a wrong version.
    """

    kind: str
    file: str
    what: str
    old: str
    new: str
    harmless: str = ""


SCORES = [
    ("K Qᵀ", "return Q @ K.mT", "return K @ Q.mT"),
    ("the whole transposed", "return Q @ K.mT", "return (Q @ K.mT).mT"),
    ("features for tokens", "return Q @ K.mT", "return Q.mT @ K"),
    ("reversed sign", "return Q @ K.mT", "return -Q @ K.mT"),
    ("scaled already", "return Q @ K.mT", "return Q @ K.mT / Q.shape[-1] ** 0.5"),
]
EXPS, ADDED_UP = "np.exp(scores - scores.max(axis=-1, keepdims=True))", "return exps / exps.sum(axis=-1, keepdims=True)"
SOFTMAX = [
    ("reversed sign", EXPS, "np.exp(scores.min(axis=-1, keepdims=True) - scores)"),
    ("powers of 2", EXPS, EXPS.replace("exp(", "exp2(")),
    ("over the wrong axis", ADDED_UP, "return exps / exps.sum(axis=0, keepdims=True)"),
    ("over all axes", ADDED_UP, "return exps / exps.sum()"),
    ("not divided", ADDED_UP, "return exps"),
]
VALUES = [
    ("weights transposed", "return weights @ V", "return weights.mT @ V"),
    ("each value weighed by itself", "return weights @ V", "return weights.sum(axis=-2)[..., None] * V"),
    ("a plain mean", "return weights @ V", "return (weights * 0 + 1 / V.shape[-2]) @ V"),
]
SCALE, PRODUCT = "scale = 1 / math.sqrt(Q.shape[-1])", "scores = scale * dot_product_scores(Q, K)"
WEIGHTS, OUTPUT = "weights = softmax(scores)  # (n_queries, n_keys)\n    output", "output = weigh_values(weights, V)"
ATTENTION = [
    ("no scale", SCALE, "scale = 1.0"),
    ("× √d_k", SCALE, "scale = math.sqrt(Q.shape[-1])"),
    ("÷ d_k", SCALE, "scale = 1 / Q.shape[-1]"),
    ("÷ √n_keys", SCALE, "scale = 1 / math.sqrt(K.shape[-2])"),
    ("÷ √d_v", SCALE, "scale = 1 / math.sqrt(V.shape[-1])"),
    ("÷ √d_model", SCALE, "scale = 1 / math.sqrt(2 * Q.shape[-1])"),
    ("a given scale ignored", PRODUCT, "scores = dot_product_scores(Q, K) / math.sqrt(Q.shape[-1])"),
    ("Q and K swapped", PRODUCT, "scores = scale * dot_product_scores(K, Q)"),
    ("reversed sign", PRODUCT, "scores = -scale * dot_product_scores(Q, K)"),
    ("scaled after softmax", WEIGHTS, "weights = scale * softmax(scores / scale)\n    output"),
    ("no softmax", WEIGHTS, "weights = scores\n    output"),
    ("K for V", OUTPUT, "output = weigh_values(weights, K)"),
    ("weights transposed", OUTPUT, "output = weigh_values(weights.mT, V)"),
    ("results swapped", "return output, weights", "return weights, output"),
]
HIDDEN = "scores = np.where(may_attend, scores, -np.inf)"
MASK = [
    ("mask reversed", HIDDEN, "scores = np.where(may_attend, -np.inf, scores)"),
    ("mask transposed", HIDDEN, "scores = np.where(np.asarray(may_attend).T, scores, -np.inf)"),
    ("hidden scores 0", HIDDEN, "scores = np.where(may_attend, scores, 0)"),
]
LAYER = [
    ("keys made by W_q", "K = X @ self.W_k", "K = X @ self.W_q"),
    ("values made by W_k", "V = X @ self.W_v", "V = X @ self.W_k"),
    ("no values", "V = X @ self.W_v", "V = X"),
    ("Q and K swapped", "return attention(Q, K, V)", "return attention(K, Q, V)"),
]
SPLIT = "return side_by_side.swapaxes(-3, -2)  # (n_heads, n_tokens, d)"
MERGE = "side_by_side = outputs.swapaxes(-3, -2)  # (n_tokens, n_heads, d)"
HEADS = [
    ("reshaped, not swapped", SPLIT, "return A.reshape(*A.shape[:-2], n_heads, A.shape[-2], -1)"),
    ("heads take turns at columns", "n_heads, -1)  # (n_tokens, n_heads, d)", "-1, n_heads).swapaxes(-1, -2)"),
    ("merged without the swap", MERGE, "side_by_side = outputs.reshape(*outputs.shape[:-3], outputs.shape[-2], -1, 1)"),
    ("heads in reverse", MERGE, "side_by_side = outputs.swapaxes(-3, -2)[..., ::-1, :]"),
    ("W_o transposed", "merge_heads(outputs) @ W_o", "merge_heads(outputs) @ W_o.reshape(W_o.shape[::-1]).T"),
    ("÷ √d_model", "attention(Q, K, V, may_attend=may_attend)  # (n_heads, n_queries, d_v)",
     "attention(Q, K, V, (n_heads * Q.shape[-1]) ** -0.5, may_attend)"),
]  # fmt: skip
SHRUNK, LAST_COLUMN = "sums, top = sums * np.exp(top - higher), higher", "return sums[..., :-1] / sums[..., -1:]"
BLOCKS = [
    ("no scale", "queries = Q[..., start : start + 256, :] / math.sqrt(Q.shape[-1])",
     "queries = Q[..., start : start + 256, :]"),
    ("sums don't shrink", SHRUNK, "sums, top = sums, higher"),
    ("not divided", LAST_COLUMN, "return sums[..., :-1]"),
    ("keys overlap", "range(0, K.shape[-2], 512)", "range(0, K.shape[-2], 511)"),
]  # fmt: skip

CHECKS_OF_ARGUMENTS = [
    ("NaN let in", "    _check_values(name, array, allowed)\n    return array", "    return array"),
    ("empty axes let in", "    if 0 in array.shape:", "    if False:"),
    ("sizes not compared", "    if not fits:", "    if False:"),
    ("batches not compared", "    _check_batches(batches)\n    return", "    return"),
    ("complex numbers let in", 'not in "fiub"', 'not in "fiubc"'),
    ("masks of numbers let in", "if mask.dtype != bool:", "if False:"),
    ("rows all hidden let in", "    if hidden.any():", "    if False:"),
    ("rows of -inf let in", "        if empty.any():", "        if False:"),
    ("heads that don't divide", "(value < 1 or size % value)", "value < 1"),
    ("True for a whole number", " or isinstance(value, bool)", ""),
    ("infinite results handed on", "if array is not None and not _is_finite(array):", "if False:"),
    ("large numbers taken for infinite", "np.isfinite(array.sum()) or np.isfinite(array).all()",
     "np.isfinite(array.sum())"),
    ("numpy's warnings let out", 'np.errstate(all="ignore")', "np.errstate()"),
    ("checks off after an error", "_running.reset(token)", "pass"),
    ("integers become float32", "array.astype(np.float64)", "array.astype(np.float32)"),
    ("", "    if not fits:", "    if fits is False:", "it is False or True"),
]  # fmt: skip
ROBUSTNESS = [
    ("no maximum subtracted", EXPS, "np.exp(scores)"),
    ("scores changed in place", f"exps = {EXPS}",
     "scores -= scores.max(axis=-1, keepdims=True)\n    exps = np.exp(scores)"),
    ("queries changed in place", PRODUCT, "Q *= scale\n    scores = dot_product_scores(Q, K)"),
    ("float16 inside", EXPS, f"{EXPS}.astype(np.float16)"),
    ("float32 inside", "return Q @ K.mT", "return Q.astype(np.float32) @ K.mT"),
    ("float64 inside", SCALE, "scale = 1 / np.sqrt(Q.shape[-1])"),
    ("float64 inside the blocks", "np.ones_like(V[..., :1])", "np.ones(V[..., :1].shape)"),
    ("hidden scores -1e9", HIDDEN, "scores = np.where(may_attend, scores, -1e9)"),
    ("never risky", "blocks.append(mix_block(queries, K, V, risky))", "blocks.append(mix_block(queries, K, V, False))"),
    ("last key lost", "range(0, K.shape[-2], 512)", "range(0, K.shape[-2] - 1, 512)"),
]  # fmt: skip
HEATMAPS = [
    ("weights up to the largest", 'Normalize(0, 1), "weight"', 'Normalize(0, np.max([*panels.values()])), "weight"'),
    ("scores from 0", "return Normalize(-limit, limit)", "return Normalize(0, limit)"),
    ("the lowest score forgotten", "max(float(np.abs(array).max())", "max(float(array.max())"),
    ("picture transposed", "- 0.5, array, cmap=cmap", "- 0.5, array.T.reshape(array.shape), cmap=cmap"),
    ("numbers transposed", "y, x = np.indices", "x, y = np.indices"),
    ("rows from the bottom", "ylim=(n_rows - 0.5, -0.5)", "ylim=(-0.5, n_rows - 0.5)"),
    ("axes' names swapped", "(ax, columns[title], axis_names[1]", "(ax, columns[title], axis_names[0]"),
    ("names of columns in reverse", "ax, names, range(len(names)), [y]", "ax, names[::-1], range(len(names)), [y]"),
    ("names of rows in reverse", "write(ax, names, [-0.5", "write(ax, names[::-1], [-0.5"),
    ("tokens swapped", '(panels, queries, dict.fromkeys(panels, keys), MAPS["weights"]',
     '(panels, keys, dict.fromkeys(panels, queries), MAPS["weights"]'),
    ("the next row lit", "Rectangle((-0.5, row - 0.5)", "Rectangle((-0.5, row + 0.5)"),
    ("what is seen is hatched", "hatch(ax, ~masks[name])", "hatch(ax, masks[name])"),
    ("words tell the smallest weight", "best = weights.argmax(axis=1)", "best = weights.argmin(axis=1)"),
    ("words of a lit row from its smallest", "np.argsort(-weights[row]", "np.argsort(weights[row]"),
    ("words: rows for columns", "i, j = np.unravel_index(index, array.shape)",
     "j, i = np.unravel_index(index, array.T.shape)"),
]  # fmt: skip
CANVAS = [
    ("map reversed", '"weights", ["#FCFBFD", "#D4CDE6", "#9E8AC2", "#6F4BA0", "#3A0F6B"]',
     '"weights", ["#FCFBFD", "#D4CDE6", "#9E8AC2", "#6F4BA0", "#3A0F6B"][::-1]'),
    ("signs' colours reversed", "[BELOW_ZERO[name], \"#FFFFFF\", COLOURS[name]]",
     "[COLOURS[name], \"#FFFFFF\", BELOW_ZERO[name]]"),
    ("black on dark", '"black" if light > 0.179 else "white"', '"white" if light > 0.179 else "black"'),
    ("colour bar reversed", "np.linspace(norm.vmin, norm.vmax, 129)", "np.linspace(norm.vmax, norm.vmin, 129)"),
    ("numbers of the colour bar reversed", "list(ticks.values()), COLOURS", "list(ticks.values())[::-1], COLOURS"),
    ("rare colours kept", "np.argsort(-areas", "np.argsort(areas"),
    ("areas take any near colour", "solid = areas >= SOLID", "solid = areas >= 9 * SOLID"),
    ("minus zero", 'text.lstrip("-") if float(text) == 0 else text', "text"),
    ("", "if light > 0.179 else", "if not light <= 0.179 else", "the same comparison"),
]  # fmt: skip
CHARTS = [
    ("shares up to a half", "limits: tuple[float, float] = (0, 1)", "limits: tuple[float, float] = (0, 0.5)"),
    ("counts for shares", "ax.stairs(heights / len(values)", "ax.stairs(heights"),
    ("bars in reverse", "ax.bar(range(len(labels)), heights", "ax.bar(range(len(labels)), list(heights)[::-1]"),
    ("the variance for the std", "std, mean = values.std(), values.mean()", "std, mean = values.var(), values.mean()"),
    ("x and y of arrows swapped", 'ax.annotate("", end, (0, 0)', 'ax.annotate("", end[::-1], (0, 0)'),
    ("walks outside counted", "<= envelope[-1]).sum()", "> envelope[-1]).sum()"),
]
FLOOR_PLAN = [
    ("radius for area", "0.38 * np.sqrt(weight)", "0.38 * weight"),
    ("star mirrored", 'ax.plot(*output, marker="*"', 'ax.plot(*output[::-1], marker="*"'),
    ("words mirrored", "lies at ({number(output[0], 2)}, {number(output[1], 2)})",
     "lies at ({number(output[1], 2)}, {number(output[0], 2)})"),
]  # fmt: skip
TRAINING = [
    ("words tell the start", "to {number(median[-1], 1)}", "to {number(median[0], 1)}"),
    ("means for medians in words", "{name: np.median(losses, axis=1)", "{name: np.mean(losses, axis=1)"),
    ("where they were for where they are", "right = _at_home(path[-1], targets)", "right = _at_home(path[0], targets)"),
    ("nearest answer for nearest spot", "distances.argmin(axis=1)", "distances.argmin(axis=0)"),
]
SLIDERS = [
    ("off by a frame", "first = positions.index(tuple(slider.start for slider in sliders))",
     "first = (positions.index(tuple(slider.start for slider in sliders)) + 1) % len(positions)"),
    ("frames in reverse", "product(*(slider.values for slider in sliders))",
     "product(*(slider.values[::-1] for slider in sliders))"),
    ("frame by frame out of order", "product(*(range(len(slider.values))", "product(*(range(len(slider.texts))[::-1]"),
    ("words of the first frame", "words=escape(frames[first].words)", "words=escape(frames[0].words)"),
    ("all but the start shown", "hidden=index != first", "hidden=index == first"),
    ("figure's words ignored", "_Frame(words or figure.get_label() or", "_Frame(words or"),
    ("value of the first setting", "escape(slider.texts[slider.start])", "escape(slider.texts[0])"),
    ("words not escaped", '" hidden" * hidden, escape(self.words)', '" hidden" * hidden, self.words'),
    ("heavy frames let in", "if len(picture) > FRAME_LIMIT:", "if False:"),
    ("heavy players let in", "if weight > PLAYER_LIMIT:", "if False:"),
    ("", '"".join(map(_slider_html, sliders))', '"".join([_slider_html(slider) for slider in sliders])',
     "the same words"),
]  # fmt: skip
SCRIPT = [
    ("off by a frame", "shown = frames[at()]", "shown = frames[Math.max(0, at() - 1)]"),
    ("words out of step", "shown.alt ?? shown.textContent", "frames[0].alt ?? frames[0].textContent"),
    ("value out of step", "(input.dataset.values)[input.value]", "(input.dataset.values)[0]"),
    ("spoken value out of step", "    input.setAttribute('aria-valuetext', value);\n", ""),
    ("controls mixed up", "index * (1 + +input.max) + +input.value", "index + +input.value"),
    ("decoded ahead: itself", "step of [-1, 1]", "step of [0]"),
    ("decoded ahead: along another control", "(input === moved)", "(input !== moved)"),
    ("", "(1 + +input.max)", "(+input.max + 1)", "the same sum"),
]  # fmt: skip

TABLE = {
    ("meaning", "helpers/attention.py"): [
        *(*SCORES, *SOFTMAX, *VALUES, *ATTENTION, *MASK, *LAYER, *HEADS, *BLOCKS),
        ("", "return Q @ K.mT", "return np.matmul(Q, K.mT)", "@ by its name"),
    ],
    ("meaning", "notebooks/01_tokens.ipynb"): [
        ("divided by the largest", "total = sum(marks.values())\nshares", "total = max(marks.values())\nshares"),
        ("", "mark / total for", "marks[word] / total for", "another name of the same number"),
    ],
    ("meaning", "notebooks/02_queries_keys_values.ipynb"): [
        ("keys made by W_q", "K = X @ W_k  #", "K = X @ W_q  #"),
        ("W_q by its columns", "X[the, feature] * W_q[feature]", "X[the, feature] * W_q.T.reshape(8, 4)[feature]"),
    ],
    ("meaning", "notebooks/03_dot_product_scores.ipynb"): [
        *SCORES,
        ("indices swapped", "scores[i, j] += query", "scores[j, i] += query"),
        ("a cosine of one length", "/ np.linalg.norm(q) / np.linalg.norm(key)", "/ np.linalg.norm(q)"),
    ],
    ("meaning", "notebooks/04_softmax.ipynb"): [
        *SOFTMAX,
        ("the wrong axis divided", "weights = exps / exps.sum(axis=-1", "weights = exps / exps.sum(axis=0"),
        ("sharpness after softmax", 'bars({"": softmax(β * lab_scores)}', 'bars({"": softmax(lab_scores)}'),
    ],
    ("meaning", "notebooks/05_weighting_values.ipynb"): [
        *VALUES,
        ("keys for values", "answer + weight * value", "answer + weight * keys[0][:2]"),
        ("K for V", "output = weigh_values(weights, V)", "output = weigh_values(weights, K[:, :3])"),
    ],
    ("meaning", "notebooks/06_scaling.ipynb"): [
        ("no scale", '"÷√d_k": d_k**-0.5', '"÷√d_k": 1.0'),
        ("× √d_k", '"÷√d_k": d_k**-0.5', '"÷√d_k": d_k**0.5'),
        ("÷ d_k", '"÷√d_k": d_k**-0.5', '"÷√d_k": 1 / d_k'),
        ("the sum for the dot product", "(q * k).sum(axis=1)", "(q + k).sum(axis=1)"),
    ],
    ("meaning", "notebooks/06b_watch_it_train.ipynb"): [
        ("no scale", "softmax(scale * (Q @ K.mT))", "softmax(Q @ K.mT)"),
        ("K Qᵀ", "softmax(scale * (Q @ K.mT))", "softmax(scale * (K @ Q.mT))"),
        ("uphill", "W_q - rate * d_W_q", "W_q + rate * d_W_q"),
        ("gradient without the scale", "d_Q = scale * d_scores @ K", "d_Q = d_scores @ K"),
        ("gradient not transposed", "d_scores.mT @ Q", "d_scores @ Q"),
    ],
    ("meaning", "notebooks/07_self_attention.ipynb"): [*ATTENTION, *LAYER, *BLOCKS],
    ("meaning", "notebooks/08_the_pen_is_found.ipynb"): [
        ("no query's bias", "return X @ W_q + b_q", "return X @ W_q"),
        ("W_q and W_k swapped", "X @ W_q + b_q, X @ W_k + b_k", "X @ W_k + b_k, X @ W_q + b_q"),
        ("÷ √d_model", "scores / np.sqrt(Q.shape[1])", "scores / np.sqrt(X.shape[1])"),
    ],
    ("meaning", "notebooks/09_masks_and_heads.ipynb"): [
        *(*ATTENTION[:3], *MASK, *HEADS),
        ("looks ahead", "may_attend = np.tri(len(tokens), dtype=bool)",
         "may_attend = np.tri(len(tokens), dtype=bool).T"),
    ],
    ("robustness", "helpers/attention.py"): ROBUSTNESS,
    ("robustness", "helpers/validation.py"): CHECKS_OF_ARGUMENTS,
    ("figures", "helpers/figures/heatmaps.py"): HEATMAPS,
    ("figures", "helpers/figures/canvas.py"): CANVAS,
    ("figures", "helpers/figures/charts.py"): CHARTS,
    ("figures", "helpers/figures/floor_plan.py"): FLOOR_PLAN,
    ("figures", "helpers/figures/training.py"): TRAINING,
    ("players", "helpers/sliders.py"): SLIDERS,
    ("players", "helpers/player.html"): SCRIPT,
}  # fmt: skip
MUTANTS = [Mutant(*where, *row) for where, rows in TABLE.items() for row in rows]
