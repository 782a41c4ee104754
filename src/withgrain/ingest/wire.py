"""Frozen records between processes: as JSON, driven by their type hints.

No pickle: the other side has read a hostile file. A record is the list of its fields, in the order of their definition,
since both ends run the same code. What comes in can only become records of the expected type.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")
Convert = Callable[[Any], Any]


def pack(value: object) -> bytes:
    """Return a record as bytes.

    Raises:
        TypeError: A field has a type that records do not have.
    """
    plain = _codec(cast(Hashable, type(value)))[0](value)
    return json.dumps(plain, ensure_ascii=True, separators=(",", ":"), default=str).encode("ascii")


def unpack(kind: type[T], data: bytes) -> T:
    """Return the record of type ``kind`` that `pack` made bytes of.

    Raises:
        ValueError: The bytes are not such a record.
    """
    try:
        record = _codec(cast(Hashable, kind))[1](json.loads(data))
    except (TypeError, KeyError, IndexError, RecursionError) as error:
        raise ValueError(f"not a {kind.__name__}: {error}") from error
    if not isinstance(record, kind):
        raise ValueError(f"not a {kind.__name__}")
    return record


def _same(value: Any) -> Any:
    return value


@cache
def _codec(kind: Any) -> tuple[Convert, Convert]:
    """Return what turns values of a type into plain ones, and back."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind in (str, int, float, bool, NoneType, Any) or origin is Literal:
        return _same, _same
    if origin in (Union, UnionType):
        return _optional(tuple(arm for arm in inner if arm is not NoneType))
    if origin is Sequence:  # a tuple on the other side
        return _many(inner[0])
    if origin is tuple:
        return _many(inner[0]) if inner[-1] is Ellipsis else _several(inner)
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(inner[1])
    if is_dataclass(kind) and isinstance(kind, type):
        return _record(kind)
    raise TypeError(f"{kind} cannot be sent to another process")


def _optional(arms: tuple[Any, ...]) -> tuple[Convert, Convert]:
    """One type or nothing; several types only where all of them are plain."""
    encode, decode = _codec(arms[0])
    if encode is _same:
        if any(_codec(arm)[0] is not _same for arm in arms):
            raise TypeError(f"{arms} cannot be told apart in another process")
        return _same, _same
    if len(arms) > 1:
        raise TypeError(f"{arms} cannot be told apart in another process")
    return (lambda v: None if v is None else encode(v)), (lambda v: None if v is None else decode(v))


def _many(item: Any) -> tuple[Convert, Convert]:
    encode, decode = _codec(item)
    if encode is _same:
        return list, tuple
    return (lambda v: [encode(one) for one in v]), (lambda v: tuple([decode(one) for one in v]))


def _several(items: tuple[Any, ...]) -> tuple[Convert, Convert]:
    codecs = [_codec(item) for item in items]

    def encode(value: Any) -> Any:
        return [codec[0](one) for codec, one in zip(codecs, value, strict=True)]

    def decode(value: Any) -> Any:
        return tuple([codec[1](one) for codec, one in zip(codecs, value, strict=True)])

    return encode, decode


def _mapping(item: Any) -> tuple[Convert, Convert]:
    encode, decode = _codec(item)
    if encode is _same:
        return dict, dict
    return (lambda v: {k: encode(one) for k, one in v.items()}), (lambda v: {k: decode(one) for k, one in v.items()})


def _record(kind: type[Any]) -> tuple[Convert, Convert]:
    """A dataclass. Its fields are looked at when the first record comes, so that a type may hold itself."""
    names = tuple(field.name for field in fields(kind) if field.init)
    known: list[list[tuple[Convert, Convert]]] = []

    def codecs() -> list[tuple[Convert, Convert]]:
        if not known:
            hints = get_type_hints(kind)
            known.append([_codec(hints[name]) for name in names])
        return known[0]

    def encode(record: Any) -> Any:
        return [
            value if codec[0] is _same else codec[0](value)
            for codec, value in zip(codecs(), [getattr(record, name) for name in names], strict=True)
        ]

    def decode(values: Any) -> Any:
        given = [value if codec[1] is _same else codec[1](value) for codec, value in zip(codecs(), values, strict=True)]
        return kind(**dict(zip(names, given, strict=True)))

    return encode, decode
