"""The speed of the pictures that sliders draw frame by frame, and of the same heatmap drawn the ordinary way.

    python -m tools.bench_figures

A frame is a new figure, drawn and packed as a PNG; on a quiet machine with 2 cores the annotated heatmap should take
at most 120 ms, the floor plan 150. All take turns within one run, and the clock counts processor time, so that other
programs disturb the ratio little; it still runs slower while they share the cores.
"""

import time
from collections.abc import Callable
from io import BytesIO
from statistics import median

import numpy as np
from matplotlib.figure import Figure

from helpers import story
from helpers.attention import attention
from helpers.figures import floor_plan, png, weights_heatmap

TOKENS = "i saw it on the blue desk .".split()
ROUNDS = 15
OURS, PLAN, ORDINARY = "annotated heatmap, 2 × 8×8", "floor plan", "the heatmap, the ordinary way"


def frames() -> dict[str, Callable[[], bytes]]:
    """What is measured: by name, a function that draws one frame and returns it as a PNG."""
    weights = np.random.default_rng(0).dirichlet(np.ones(8), size=(2, 8))  # (2, n_queries, n_keys)
    panels = dict(zip(["unscaled", "scaled"], weights))
    output, shares = attention(story.q_pen[None], story.lab_keys, story.lab_values, scale=1)
    lab = {"people": story.people, "seats": story.seats, "me": story.my_seat}
    lab |= {"weights": shares[0], "output": output[0], "path": np.array([[4, 3], output[0]])}
    return {
        OURS: lambda: png(weights_heatmap(panels, TOKENS, TOKENS, lit=2)),
        PLAN: lambda: png(floor_plan(story.places, story.lab_values, **lab)),
        ORDINARY: lambda: ordinary_heatmap(panels),
    }


def ordinary_heatmap(panels: dict[str, np.ndarray]) -> bytes:
    """The same picture, of the same size, with constrained layout, a text for each number, and savefig."""
    figure = Figure(figsize=weights_heatmap(panels, TOKENS, TOKENS).get_size_inches(), dpi=192, layout="constrained")
    all_axes = figure.subplots(1, len(panels))
    for ax, (title, weights) in zip(all_axes, panels.items()):
        image = ax.imshow(weights, cmap="Purples", vmin=0, vmax=1)
        ax.set(title=title, xlabel="key", ylabel="query")
        ax.set_xticks(range(len(TOKENS)), TOKENS)
        ax.set_yticks(range(len(TOKENS)), TOKENS)
        for (row, column), weight in np.ndenumerate(weights):
            ax.text(column, row, f"{weight:.2f}", ha="center", va="center", color="white" if weight > 0.5 else "black")
    figure.colorbar(image, ax=all_axes, label="weight")
    file = BytesIO()
    figure.savefig(file, format="png")
    return file.getvalue()


def measure(functions: dict[str, Callable[[], bytes]]) -> dict[str, list[float]]:
    """The milliseconds of processor time that each function took, round after round."""
    taken: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(ROUNDS + 1):
        for name, function in functions.items():
            start = time.process_time()
            function()
            taken[name].append(1000 * (time.process_time() - start))
    return {name: times[1:] for name, times in taken.items()}  # the first round fills the caches


def main() -> None:
    """Print a line a picture: the least and the median milliseconds a frame, and its size."""
    functions = frames()
    taken = measure(functions)
    for name, times in taken.items():
        size = len(functions[name]()) / 1000
        print(f"{name:30} {min(times):4.0f} ms at best, {median(times):4.0f} ms median, {size:4.0f} KB")
    print(f"The ordinary way takes {median(map(float.__truediv__, taken[ORDINARY], taken[OURS])):.1f} times as long.")


if __name__ == "__main__":
    main()
