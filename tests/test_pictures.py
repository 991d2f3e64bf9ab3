"""nbval skips pictures, so the course compares them: this shows that its comparison tells pictures apart."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from tools.regression import other_renderer, picture_difference

SHADES = np.linspace(0, 255, 12 * 16).reshape(12, 16, 1).repeat(3, axis=2).round().astype(np.uint8)


def png(pixels: np.ndarray, **options) -> bytes:
    file = BytesIO()
    Image.fromarray(pixels).save(file, "PNG", **options)
    return file.getvalue()


def changed_by(levels: int) -> np.ndarray:
    pixels = SHADES.copy()
    pixels[5, 7, 1] += levels
    return pixels


def test_pictures_are_compared_in_this_environment(lack):
    if reason := other_renderer():
        lack(f"pictures {reason}")


@pytest.mark.parametrize("levels", [0, 1, 2])
def test_two_levels_are_allowed(levels):
    assert picture_difference([png(SHADES)], [png(changed_by(levels))]) == ""


def test_the_file_may_differ_if_the_pixels_do_not():
    assert png(SHADES) != png(SHADES, compress_level=0)
    assert picture_difference([png(SHADES)], [png(SHADES, compress_level=0)]) == ""


def test_one_channel_of_one_pixel_off_by_three_levels_is_a_difference():
    difference = picture_difference([png(SHADES)], [png(changed_by(3))])
    assert difference == "picture 1 of the cell differs: 1 pixels, by up to 3 levels of 255"


def test_a_difference_is_found_in_either_direction():
    assert picture_difference([png(changed_by(100))], [png(SHADES)])


def test_the_second_picture_is_compared_too():
    same, other = png(SHADES), png(changed_by(3))
    assert picture_difference([same, same], [same, other]).startswith("picture 2 ")


def test_another_size_is_a_difference():
    assert "16×12 pixels are stored, 16×11" in picture_difference([png(SHADES)], [png(SHADES[1:])])


@pytest.mark.parametrize("pixels", [True, False])
@pytest.mark.parametrize("stored, drawn", [(1, 0), (0, 1), (2, 1)])
def test_a_missing_or_extra_picture_is_a_difference_in_any_environment(stored, drawn, pixels):
    difference = picture_difference([png(SHADES)] * stored, [png(SHADES)] * drawn, pixels)
    assert difference == f"{stored} pictures are stored, {drawn} were drawn"


def test_with_another_renderer_pixels_are_not_compared():
    assert picture_difference([png(SHADES)], [png(changed_by(3))], pixels=False) == ""
