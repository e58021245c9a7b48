"""Names beside the points of a plot, placed so that nothing lies on anything else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
"""Where a name may stand, as signs of x and y, the best place first: beside the point, or beyond an
end of its bar."""

DISTANCES = (8, 20, 32)
"""Points between a name and what it stands by, the best distance first."""

ALIGNED = {1: ("left", "bottom"), 0: ("center", "center"), -1: ("right", "top")}
"""Which part of a name lies at its place, along x and along y, on each side."""

NEAR = -5
"""Points that a name beyond the end of a bar begins or ends past the bar."""

CLEARANCE = 3
"""Pixels that stay free around a name."""

BAR = 6
"""Half the width of a point with the bar of its interval, in pixels."""

OUTSIDE = 100
"""How much worse it is to leave the frame than to cover another name."""


class Point(NamedTuple):
    """A point of a plot and the ends of the bar of its interval, in data coordinates."""

    name: str
    x: float
    y: float
    low: float
    high: float


def name_points(figure: Figure, axes: Axes, points: Sequence[Point]) -> None:
    """Write each point's name beside it, where it covers no point, no bar and no other name.

    The layout of the figure is final afterwards, since places are found in pixels.
    """
    figure.draw_without_rendering()  # settles the layout
    figure.set_layout_engine("none")
    taken = []
    for point in points:
        ends = axes.transData.transform([(point.x, point.low), (point.x, point.high)])
        taken.append(Bbox(ends).padded(BAR))
    for point in sorted(points, key=lambda point: -point.x):
        taken.append(_write_name(axes, point, taken).get_window_extent())


def overlaps(figure: Figure) -> list[tuple[str, str]]:
    """Return the pairs of texts in a figure that cover each other."""
    figure.draw_without_rendering()
    hidden = _labels_out_of_view(figure)
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    placed = [(text.get_text(), text.get_window_extent()) for text in texts if text not in hidden]
    return [
        (name, other)
        for i, (name, box) in enumerate(placed)
        for other, its in placed[:i]
        if box.overlaps(its)
    ]


def _labels_out_of_view(figure: Figure) -> set[Text]:
    """Return the labels of ticks that lie beyond the ends of their axis, which are not drawn."""
    hidden = set()
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        low, high = sorted(axis.get_view_interval())
        ticks = [tick for tick in axis.get_major_ticks() if not low <= tick.get_loc() <= high]
        hidden |= {label for tick in ticks for label in (tick.label1, tick.label2)}
    return hidden


def _write_name(axes: Axes, point: Point, taken: Sequence[Bbox]) -> Annotation:
    """Write a name at the first free place, or where it covers least."""

    def write(distance: int, side: tuple[int, int]) -> Annotation:
        across, up = side
        return axes.annotate(
            point.name,
            (point.x, {1: point.high, 0: point.y, -1: point.low}[up]),
            xytext=(NEAR * across if up else distance * across, distance * up),
            textcoords="offset points",
            horizontalalignment=ALIGNED[across][0],
            verticalalignment=ALIGNED[up][1],
        )

    def covers(place: tuple[int, tuple[int, int]]) -> int:
        note = write(*place)
        box = note.get_window_extent().padded(CLEARANCE)
        note.remove()
        inside = Bbox.union([box, axes.bbox]).bounds == axes.bbox.bounds
        return (0 if inside else OUTSIDE) + box.count_overlaps(taken)

    return write(*min(product(DISTANCES, SIDES), key=covers))
