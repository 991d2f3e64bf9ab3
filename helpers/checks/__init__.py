"""Checks for the exercises: one function an exercise. Each returns a `Verdict`, and never raises."""

from helpers.checks.lesson_01 import one_hot, shares, to_ids
from helpers.checks.lesson_02 import blend, halfway, project, shapes
from helpers.checks.lesson_03 import dot_product_scores, key_for, one_way
from helpers.checks.lesson_04 import scores_for, sharpness, softmax
from helpers.checks.lesson_05 import ask_for_coffee, contributions, weigh_values
from helpers.checks.lesson_06 import divide_by, scaled_weights, spread
from helpers.checks.lesson_06b import mixed_up, same_descent, values_gradient
from helpers.checks.lesson_07 import attention, cross_shapes, multiplications
from helpers.checks.lesson_08 import find_ahead, head_weights, looks_ahead
from helpers.checks.lesson_09 import causal_mask, split_heads, texts_mask
from helpers.checks.verdict import Verdict
