"""Office Math to TeX: fractions, powers, roots, sums; what has no counterpart keeps its text."""

from __future__ import annotations

from typing import Any

from withgrain.parse.office.package import child, local, value

_MAX_DEPTH = 40


def to_tex(element: Any, depth: int = 0) -> str:
    """Return TeX of an ``oMath`` element or one inside it."""
    if element is None or depth > _MAX_DEPTH:
        return ""
    name = local(element)
    if name == "t":
        return element.text or ""
    part = _PARTS.get(name)
    if part is not None:
        return part(element, depth + 1)
    return "".join([to_tex(inner, depth + 1) for inner in element])


def _of(element: Any, name: str, depth: int) -> str:
    return to_tex(child(element, name), depth)


def _fraction(element: Any, depth: int) -> str:
    return f"\\frac{{{_of(element, 'num', depth)}}}{{{_of(element, 'den', depth)}}}"


def _root(element: Any, depth: int) -> str:
    degree = _of(element, "deg", depth)
    return f"\\sqrt{f'[{degree}]' if degree else ''}{{{_of(element, 'e', depth)}}}"


def _sub(element: Any, depth: int) -> str:
    return f"{_of(element, 'e', depth)}_{{{_of(element, 'sub', depth)}}}"


def _sup(element: Any, depth: int) -> str:
    return f"{_of(element, 'e', depth)}^{{{_of(element, 'sup', depth)}}}"


def _sub_sup(element: Any, depth: int) -> str:
    return f"{_of(element, 'e', depth)}_{{{_of(element, 'sub', depth)}}}^{{{_of(element, 'sup', depth)}}}"


def _nary(element: Any, depth: int) -> str:
    sign = value(child(element, "naryPr"), "chr") or "∫"
    name = {"∑": "\\sum", "∏": "\\prod", "∫": "\\int"}.get(sign, sign)
    low, high = _of(element, "sub", depth), _of(element, "sup", depth)
    bounds = (f"_{{{low}}}" if low else "") + (f"^{{{high}}}" if high else "")
    return f"{name}{bounds} {_of(element, 'e', depth)}"


def _delimited(element: Any, depth: int) -> str:
    properties = child(element, "dPr")
    begin, end = value(properties, "begChr"), value(properties, "endChr")
    inner = ", ".join([to_tex(e, depth) for e in element if local(e) == "e"])
    return f"{'(' if begin is None else begin}{inner}{')' if end is None else end}"


def _matrix(element: Any, depth: int) -> str:
    rows = [" & ".join([to_tex(e, depth) for e in row]) for row in element if local(row) == "mr"]
    return "\\begin{matrix}" + " \\\\ ".join(rows) + "\\end{matrix}"


_PARTS = {"f": _fraction, "rad": _root, "sSub": _sub, "sSup": _sup, "sSubSup": _sub_sup, "nary": _nary, "d": _delimited,
          "m": _matrix}  # fmt: skip
