"""A study as one HTML file that a team can pass on: verdict, tables, plots, and the questions that changed.

Nothing is loaded from anywhere: styles and plots are inside, there is no script, and what documents say is text only.
"""

from withgrain.evaluate.report.page import page

__all__ = ["page"]
