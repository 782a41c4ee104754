"""The three standard streams, also where whoever started the process closed some of them."""

from __future__ import annotations

import os
import sys


def open_missing_streams() -> None:
    """Put the null device in the place of each standard stream that is closed.

    Without that the next file that is opened takes the free number, 1 for example: then a file of the collection is the
    standard output, and whatever a library prints lands in it.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
