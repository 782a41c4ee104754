"""The tree of a data file, whatever its syntax: members with their keys and places; and the outline made of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from withgrain.model import Block
from withgrain.parse.outline import DEEPEST, Node, joint

#: A smaller object or list is no section of its own: it stands whole in its parent nearly always.
SECTION = 240
#: Joints are nested at most this deep; what is deeper is cut at its lines.
_JOINTS = 24
#: Members whose value says which element of a list it is, the best first.
_IDENTITY = ("name", "id", "key", "uid", "title", "operationId", "job_name", "alert", "code")
_LONGEST = 80


@dataclass(slots=True)
class Member:
    """One member of a data file.

    Attributes:
        name: Its key, or its place in a list (``[3]``).
        start: First code point: its key, comments in front of it included.
        end: Behind its value and the separator.
        kind: What its value is.
        value: The text of a scalar; "" of the others.
        members: Of an object or a list that is long enough to be cut.
    """

    name: str
    start: int
    end: int
    kind: Literal["map", "list", "scalar"]
    value: str = ""
    members: list[Member] = field(default_factory=list)

    def get(self, name: str) -> Member | None:
        """Return the member of an object with this key."""
        return next((member for member in self.members if member.name == name), None)

    def text_of(self, name: str) -> str:
        """Return the value of a scalar member; "" where there is none."""
        found = self.get(name)
        return found.value if found is not None else ""


def fill(node: Node, member: Member, depth: int = 1) -> Node:
    """Add sections and joints to a node for the members of an object or list; returns the node."""
    for inner in member.members:
        if inner.members and inner.end - inner.start > SECTION and depth < DEEPEST:
            name = identity(inner) if member.kind == "list" else inner.name
            node.children.append(fill(Node(name=name, start=inner.start, end=inner.end), inner, depth + 1))
        else:
            node.joints.append(joint(inner.start, inner.end, joints(inner)))
    return node


def joints(member: Member, depth: int = 0) -> list[Block]:
    """Return the joints inside a member."""
    while len(member.members) == 1:
        member = member.members[0]
    if depth == _JOINTS:
        return []
    return [joint(inner.start, inner.end, joints(inner, depth + 1)) for inner in member.members]


def identity(member: Member) -> str:
    """Return what an element of a list is called: the value of its name, id …, else its place."""
    for name in _IDENTITY:
        value = member.text_of(name)
        if 0 < len(value) <= _LONGEST:
            return value
    return member.name
