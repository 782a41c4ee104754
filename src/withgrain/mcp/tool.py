"""What a tool is: its parameters as data, from which both the schema and the checking of a call are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

from withgrain.errors import UsageError
from withgrain.mcp.budget import Answer
from withgrain.mcp.collections import Collections
from withgrain.mcp.sanitise import label

DEFAULT_TOKENS = 4000
LEAST_TOKENS = 500
MOST_TOKENS = 20000


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One argument of a tool.

    Attributes:
        name: Its name.
        type: ``text``, ``number`` (an integer) or ``texts`` (a list; a single text is taken for a list of one).
        description: For the agent.
        required: Whether a call must give it.
        default: What holds when it is not given.
        least: Smallest number; fewest characters of a text.
        most: Largest number; most characters of a text; most texts of a list.
        choices: The texts that are allowed; empty for any.
    """

    name: str
    type: Literal["text", "number", "texts"]
    description: str
    required: bool = False
    default: Any = None
    least: int = 0
    most: int = 1000
    choices: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the argument."""
        shape: dict[str, Any] = {"description": self.description}
        if self.type == "number":
            shape |= {"type": "integer", "minimum": self.least, "maximum": self.most}
        elif self.type == "texts":
            shape |= {"type": "array", "items": {"type": "string", "maxLength": 1000}, "maxItems": self.most}
        else:
            shape |= {"type": "string", "maxLength": self.most} | ({"minLength": self.least} if self.least else {})
        if self.choices:
            shape["enum"] = list(self.choices)
        return shape if self.default is None else shape | {"default": self.default}

    def checked(self, value: Any) -> Any:
        """Return the value of a call, checked.

        Raises:
            UsageError: Of another type, too small or large, or none of the choices; says what is right.
        """
        if self.type == "number":
            return self._number(value)
        if self.type == "texts":
            values = [value] if isinstance(value, str) else value
            if not isinstance(values, list) or not all(isinstance(v, str) and len(v) <= 1000 for v in values):
                raise UsageError(f'"{self.name}" must be a list of texts of at most 1000 characters each.')
            if len(values) > self.most:
                raise UsageError(f'"{self.name}" has {len(values)} entries; at most {self.most} are allowed.')
            return tuple(_encodable(value) for value in values)
        if not isinstance(value, str):
            raise UsageError(f'"{self.name}" must be a text, not {_kind(value)}.')
        if not self.least <= len(value) <= self.most:
            raise UsageError(f'"{self.name}" has {len(value)} characters; it must have {self.least} to {self.most}.')
        if self.choices and value not in self.choices:
            raise UsageError(f'"{self.name}" is "{label(value, 60)}"; use one of: {", ".join(self.choices)}.')
        return _encodable(value)

    def _number(self, value: Any) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            raise UsageError(f'"{self.name}" must be a whole number, not {_kind(value)}.')
        if not self.least <= value <= self.most:
            raise UsageError(f'"{self.name}" must be from {self.least} to {self.most}.')
        return value


@dataclass(frozen=True, slots=True)
class Arguments:
    """The checked arguments of a call, with defaults filled in."""

    values: Mapping[str, Any]

    def text(self, name: str) -> str:
        """Return a text; empty when it was not given."""
        return str(self.values.get(name) or "")

    def number(self, name: str) -> int:
        """Return a number that was given or has a default."""
        return int(self.values[name])

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; empty when it was not given."""
        return tuple(self.values.get(name) or ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool.

    Attributes:
        name: Its name.
        title: A name for people.
        description: Teaches an agent when and how to use it.
        parameters: Its arguments, in order.
        output: JSON Schema of the structured answer.
        run: Answers a call; raises `WithgrainError` with what to try next.
    """

    name: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]
    output: Mapping[str, Any]
    run: Callable[[Collections, Arguments], Answer]

    def input_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the arguments."""
        return {
            "type": "object",
            "properties": {p.name: p.schema() for p in self.parameters},
            "required": [p.name for p in self.parameters if p.required],
            "additionalProperties": False,
        }

    def arguments(self, given: Mapping[str, Any]) -> Arguments:
        """Check the arguments of a call; null is taken for "not given".

        Raises:
            UsageError: An unknown, missing or wrong argument; says which and what is right.
        """
        known = {p.name: p for p in self.parameters}
        for name in given:
            if name not in known:
                near = get_close_matches(name[:80], known, n=1)
                hint = f' Did you mean "{near[0]}"?' if near else ""
                raise UsageError(
                    f'{self.name} has no argument "{label(name, 60)}".{hint} It takes: {", ".join(known)}.'
                )
        values = {}
        for name, parameter in known.items():
            value = given.get(name)
            if value is None and parameter.required:
                raise UsageError(f'{self.name} needs the argument "{name}": {parameter.description}')
            values[name] = parameter.default if value is None else parameter.checked(value)
        return Arguments(values)


def _encodable(text: str) -> str:
    """Return a text without lone surrogates, which JSON can spell and no store can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _kind(value: Any) -> str:
    names = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
        dict: "an object",
    }
    return names.get(type(value), "null")


COLLECTION = Parameter(
    name="collection", type="text", description="Name of one collection; all of them when left out.", most=64
)
MAX_TOKENS = Parameter(
    name="max_tokens",
    type="number",
    description="Hard limit of the answer, in tokens.",
    default=DEFAULT_TOKENS,
    least=LEAST_TOKENS,
    most=MOST_TOKENS,
)


def offset(what: str, most: int = 10**9) -> Parameter:
    """Return the paging argument of a tool; ``what`` says what it counts."""
    return Parameter(
        name="offset",
        type="number",
        description=f"Continue here: the next_offset of the answer before ({what}).",
        default=0,
        most=most,
    )
