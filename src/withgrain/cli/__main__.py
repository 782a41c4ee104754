"""``python -m withgrain.cli``: the command line of this interpreter's environment."""

from __future__ import annotations

from withgrain.cli.application import main

main()
