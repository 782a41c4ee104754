"""The command line: parse, call, print. Data goes to stdout, talk to stderr."""

from __future__ import annotations

from withgrain.cli.application import main

__all__ = ["main"]
