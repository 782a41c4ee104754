"""Settings: flag > ``WITHGRAIN_*`` variable > ``withgrain.toml`` or ``[tool.withgrain]`` > default; each has an origin.

The file is the nearest one upward from the working directory; in one directory ``withgrain.toml`` goes before
``pyproject.toml``. A relative ``collection`` in a file is relative to that file, elsewhere to the working directory. A
tokenizer that is a function is never taken from a file. Policies, classes by path, detectors and words are tables of
the file.
"""

from withgrain.config.kinds import pairs
from withgrain.config.layers import load
from withgrain.config.settings import Resolved, Settings

__all__ = ["Resolved", "Settings", "load", "pairs"]
