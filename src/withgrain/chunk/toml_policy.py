"""Policies as TOML: read from tables of a configuration file, written back whole, with the origin of every value.

A table names what it ``extends`` and says only what is different::

    [policy.runbooks]
    extends = "structure_aware"
    merge = "siblings"

    [policy.runbooks.class.sop]
    max = 400
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, get_args

from withgrain.chunk.catalogue import POLICIES, STRUCTURE_AWARE, policy
from withgrain.chunk.classify import CLASSES
from withgrain.chunk.policy import (
    BOND_KINDS,
    BOUNDARY_KINDS,
    Budget,
    Joint,
    Merge,
    Policy,
    Regions,
    Secrets,
    TableMode,
    Unit,
)
from withgrain.errors import ConfigError
from withgrain.model.document import BlockKind

_NAME = re.compile(r"[A-Za-z][\w\-]{0,63}")
#: Keys of a budget in TOML, and what they are called in `Budget`.
_SIZES = {
    "target": "target",
    "max": "maximum",
    "min": "minimum",
    "overlap": "overlap",
    "whole": "whole",
    "tables": "tables",
}
_TABLES = ("budget", "class")
#: Where every value is written out, this base adds no classes of its own.
_WITHOUT_CLASSES = "recursive"

#: Returns where a key is written ("withgrain.toml:12"), for messages and origins.
Where = Callable[[tuple[str, ...]], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedPolicy:
    """A policy and, for each of its values, where it comes from.

    Attributes:
        policy: The policy.
        origins: By dotted key ("merge", "budget.max", "class.sop.target"): ``built in``, or where it is written.
    """

    policy: Policy
    origins: Mapping[str, str]


def load_policy(table: Mapping[str, Any], *, name: str = "custom", known: Mapping[str, Policy] = POLICIES) -> Policy:
    """Return the policy that a table describes.

    Args:
        table: Keys of `Policy`; ``budget`` and ``class.NAME`` are tables of ``target``, ``max``, ``min``,
            ``overlap``, ``whole``, ``tables``.
        name: Its name.
        known: Policies that it may extend.

    Raises:
        ConfigError: An unknown key (with its path and the nearest name), a wrong value, or sizes that contradict
            each other.
    """
    bases = {key: LoadedPolicy(policy=value, origins={}) for key, value in known.items()}
    return _load(name, table, bases, ".".join).policy


def built_in() -> dict[str, LoadedPolicy]:
    """Return the policies that ship with withgrain."""
    return {
        name: LoadedPolicy(policy=value, origins=dict.fromkeys(values(value), "built in"))
        for name, value in POLICIES.items()
    }


def load_policies(tables: Mapping[str, Any], where: Where) -> dict[str, LoadedPolicy]:
    """Return the built-in policies and those of the tables by name; a table may extend one that stands below it.

    Raises:
        ConfigError: As `load_policy`; or a name that is taken, or policies that extend each other in a circle.
    """
    loaded = built_in()
    waiting = dict(tables)
    for name, table in waiting.items():
        place = where((name,))
        if name in POLICIES:
            raise ConfigError(
                f"{place}: policy.{name} is built in and does not change. Choose another name and write "
                f'extends = "{name}".'
            )
        if not _NAME.fullmatch(name) or name == "use":
            raise ConfigError(f"{place}: {name!r} is no name for a policy; use letters, digits, - and _.")
        if not isinstance(table, Mapping):
            raise ConfigError(f"{place}: policy.{name} is {table!r}; it must be a table, [policy.{name}].")
    while waiting:
        ready = [name for name, table in waiting.items() if table.get("extends") not in waiting]
        if not ready:
            circle = ", ".join(sorted(waiting))
            raise ConfigError(f"{where((sorted(waiting)[0],))}: these policies extend each other: {circle}.")
        for name in ready:
            loaded[name] = _load(name, waiting.pop(name), loaded, where)
    return loaded


def _load(name: str, table: Mapping[str, Any], known: Mapping[str, LoadedPolicy], where: Where) -> LoadedPolicy:
    base = _base(name, table, known, where)
    changes: dict[str, Any] = {"name": name, "version": "1"}
    origins = dict(base.origins)
    for key, value in table.items():
        if key in _TABLES or key == "extends":
            continue
        place = where((name, key))
        _known(key, (*_FIELDS, *_TABLES, "extends"), f"{place}: policy.{name}.{key}")
        try:
            changes[key] = _FIELDS[key].read(value)
        except ValueError:
            raise ConfigError(f"{place}: policy.{name}.{key} is {value!r}; it must be {_FIELDS[key].words}.") from None
        origins[key] = place
    budget = _budget(base.policy.budget, table.get("budget", {}), (name, "budget"), where, origins)
    changes |= {"budget": budget, "classes": _classes(base.policy, table, name, where, origins)}
    result = replace(base.policy, **changes)
    try:
        result.check()
    except ConfigError as error:
        raise ConfigError(f"{where((name,))}: {error}") from None
    if "version" not in table:
        origins["version"] = "default"
    return LoadedPolicy(policy=result, origins=origins)


def _base(name: str, table: Mapping[str, Any], known: Mapping[str, LoadedPolicy], where: Where) -> LoadedPolicy:
    extends = table.get("extends", STRUCTURE_AWARE.name)
    place = where((name, "extends"))
    if not isinstance(extends, str):
        raise ConfigError(f"{place}: policy.{name}.extends is {extends!r}; it must be the name of a policy.")
    try:
        policy(extends, {key: loaded.policy for key, loaded in known.items()})
    except ConfigError as error:
        raise ConfigError(f"{place}: policy.{name}.extends: {error}") from None
    return known[extends]


def _classes(
    base: Policy, table: Mapping[str, Any], name: str, where: Where, origins: dict[str, str]
) -> tuple[tuple[str, Budget], ...]:
    """Return the budgets by class: those of the base, changed and added to; a new one begins with the base's budget."""
    given = _table(table.get("class", {}), (name, "class"), where)
    result = dict(base.classes)
    for doc_class, sizes in given.items():
        keys = (name, "class", doc_class)
        _known(doc_class, [c for c in CLASSES if c != "default"], f"{where(keys)}: policy.{'.'.join(keys)}", "class")
        if doc_class not in result:
            for size in _SIZES:
                origins[f"class.{doc_class}.{size}"] = origins.get(f"budget.{size}", "built in")
        result[doc_class] = _budget(result.get(doc_class, base.budget), sizes, keys, where, origins)
    return tuple(result.items())


def _budget(base: Budget, given: object, keys: tuple[str, ...], where: Where, origins: dict[str, str]) -> Budget:
    sizes: dict[str, int] = {}
    for key, value in _table(given, keys, where).items():
        place, path = where((*keys, key)), ".".join(("policy", *keys, key))
        _known(key, _SIZES, f"{place}: {path}")
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise ConfigError(f"{place}: {path} is {value!r}; it must be a whole number, 0 or above.")
        sizes[_SIZES[key]] = value
        origins[".".join((*keys[1:], key))] = place
    changed = replace(base, **sizes)
    for name in ("whole", "tables"):  # a size of one's own is not overruled by one that was inherited
        if name not in sizes and "target" in sizes:
            changed = replace(changed, **{name: 0})
    if "whole" not in sizes:
        changed = replace(changed, whole=min(changed.whole, changed.maximum))
    return changed


def _table(value: object, keys: tuple[str, ...], where: Where) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ConfigError(f"{where(keys)}: policy.{'.'.join(keys)} is {value!r}; it must be a table.")
    return value


def _known(key: str, known: Sequence[str] | Mapping[str, object], what: str, noun: str = "key") -> None:
    if key in known:
        return
    near = get_close_matches(key, known, n=1, cutoff=0.5)
    hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(known)}."
    raise ConfigError(f"{what}: there is no {noun} {key!r}. {hint}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Field:
    """How the values of one key are written."""

    words: str
    read: Callable[[Any], Any]


def _choice(literal: Any) -> _Field:
    allowed = get_args(literal)
    return _Field(words=f"one of {', '.join(allowed)}", read=lambda v: _must(v, v in allowed))


def _kinds(allowed: Sequence[str]) -> _Field:
    def read(value: Any) -> tuple[str, ...]:
        if isinstance(value, bool):
            return tuple(allowed) if value else ()
        _must(value, isinstance(value, list) and all(isinstance(v, str) and v in allowed for v in value))
        return tuple(dict.fromkeys(value))

    return _Field(words=f"true, false, or a list of {', '.join(allowed)}", read=read)


def _must(value: Any, valid: bool) -> Any:
    if not valid:
        raise ValueError
    return value


_FLAG = _Field(words="true or false", read=lambda v: _must(v, isinstance(v, bool)))
_COUNT = _Field(
    words="a whole number, 0 or above",
    read=lambda v: _must(v, isinstance(v, int) and not isinstance(v, bool) and v >= 0),
)
_BOUNDARIES = _Field(
    words=f"a list of {', '.join(BOUNDARY_KINDS)}",
    read=lambda v: tuple(_must(v, isinstance(v, list) and all(k in BOUNDARY_KINDS for k in v))),
)
_FIELDS: dict[str, _Field] = {
    "version": _Field(words="a text", read=lambda v: _must(v, isinstance(v, str) and v != "")),
    "unit": _choice(Unit),
    "regions": _choice(Regions),
    "joint": _choice(Joint),
    "prefix": _FLAG,
    "bonds": _kinds(BOND_KINDS),
    "merge": _choice(Merge),
    "merge_never": _kinds(get_args(BlockKind)),
    "overlap_at": _BOUNDARIES,
    "table_mode": _choice(TableMode),
    "even": _FLAG,
    "topics": _COUNT,
    "parent": _COUNT,
    "summary": _FLAG,
    "strict": _FLAG,
    "secrets": _choice(Secrets),
}


def values(value: Policy) -> dict[str, Any]:
    """Return every value of a policy by its dotted key in TOML, in the order of the file."""
    result: dict[str, Any] = {key: getattr(value, key) for key in _FIELDS}
    for prefix, budget in (("budget", value.budget), *((f"class.{name}", b) for name, b in value.classes)):
        result |= {f"{prefix}.{key}": getattr(budget, name) for key, name in _SIZES.items()}
    return result


def to_toml(value: Policy) -> str:
    """Return a policy as TOML, every value written out: `load_policy` reads the same policy from it."""
    return "\n".join(_lines(value)) + "\n"


def _lines(value: Policy) -> Iterator[str]:
    same = [name for name, _ in value.classes] == [name for name, _ in STRUCTURE_AWARE.classes]
    yield f"[policy.{value.name}]"
    yield f'extends = "{STRUCTURE_AWARE.name if same else _WITHOUT_CLASSES}"'
    for key in _FIELDS:
        yield f"{key} = {_toml(getattr(value, key))}"
    for name, budget in (("budget", value.budget), *((f"class.{name}", b) for name, b in value.classes)):
        yield ""
        yield f"[policy.{value.name}.{name}]"
        yield from (f"{key} = {getattr(budget, field)}" for key, field in _SIZES.items())


def _toml(value: Any) -> str:
    """Return a text, flag, number or list of texts as TOML; JSON writes them alike."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
