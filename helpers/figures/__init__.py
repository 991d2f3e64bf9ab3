"""The course's pictures. A figure function takes arrays and returns a `Figure` whose label is the words for it."""

from helpers.figures.canvas import png, show
from helpers.figures.charts import arrows, bars, curves, histogram, walks
from helpers.figures.floor_plan import floor_plan
from helpers.figures.heads import heads_heatmap
from helpers.figures.heatmaps import scores_heatmap, scores_with_histogram, vectors_heatmap, weights_heatmap
from helpers.figures.pipeline import asking, pipeline
