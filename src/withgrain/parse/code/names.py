"""What a symbol is called: its field ``name`` in most cases, a receiver, a type or labels in the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_LONGEST = 120  # a longer name is no name
_FUNCTIONS = frozenset(("arrow_function", "function_expression", "function", "generator_function", "class"))


def name_of(node: Any) -> str | None:
    """Return the name of a node whose type its language lists as a symbol; None when this one is none."""
    special = _SPECIAL.get(node.type)
    name = special(node) if special else _text(node.child_by_field_name("name"))
    if name is None:
        return None
    name = " ".join(name.split())
    return name if 0 < len(name) <= _LONGEST else None


def _text(node: Any) -> str | None:
    return None if node is None else bytes(node.text).decode("utf-8", "replace")


def _method(node: Any) -> str | None:
    """Go: the type of the receiver, without pointer and type parameters, and the name."""
    name, receiver = _text(node.child_by_field_name("name")), node.child_by_field_name("receiver")
    stack = list(receiver.named_children) if receiver is not None else []
    while stack:
        inner = stack.pop()
        if inner.type == "type_identifier":
            return f"{_text(inner)}.{name}"
        of = inner.child_by_field_name("type")
        stack.extend([of] if of is not None else inner.named_children)
    return name


def _impl(node: Any) -> str | None:
    """Rust: the type that is implemented, without its parameters."""
    of = node.child_by_field_name("type")
    if of is not None and of.type == "generic_type":
        of = of.child_by_field_name("type")
    return _text(of)


def _labels(node: Any) -> str | None:
    """HCL: the type of the block and its labels."""
    words = [str(_text(child)).strip('"') for child in node.children if child.type in ("identifier", "string_lit")]
    return ".".join(words)


def _bound(node: Any) -> str | None:
    """JavaScript: a variable, field or property that is bound to a function or class."""
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    if value is None or value.type not in _FUNCTIONS:
        return None
    return _text(
        node.child_by_field_name("name") or node.child_by_field_name("property") or node.child_by_field_name("left")
    )


def _quoted(node: Any) -> str | None:
    """TypeScript: the name of a namespace, or of a module in quotes."""
    name = _text(node.child_by_field_name("name"))
    return name.strip("\"'") if name else None


_SPECIAL: dict[str, Callable[[Any], str | None]] = {
    "method_declaration": _method,
    "impl_item": _impl,
    "block": _labels,
    "variable_declarator": _bound,
    "assignment_expression": _bound,
    "field_definition": _bound,
    "public_field_definition": _bound,
    "module": _quoted,
}
