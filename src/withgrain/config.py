"""Settings: flag > ``WITHGRAIN_*`` variable > ``withgrain.toml`` or ``[tool.withgrain]`` > default; each has an origin.

The file is the nearest one upward from the working directory; in one directory ``withgrain.toml`` goes before
``pyproject.toml``. A relative ``collection`` in a file is relative to that file, elsewhere to the working directory. A
tokenizer that is a function is never taken from a file. Policies, classes by path, detectors and words are tables of
the file.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from withgrain.errors import ConfigError

if TYPE_CHECKING:
    from withgrain.chunk import LoadedPolicy
    from withgrain.signals import Rules

FILE_NAME = "withgrain.toml"
VARIABLE_PREFIX = "WITHGRAIN_"

#: Variables that are no settings: they are read where they are used, and never shown.
SECRETS = ("WITHGRAIN_MCP_TOKEN", "WITHGRAIN_OPENAI_API_KEY", "WITHGRAIN_RERANK_TOKEN")

#: No honest configuration is larger.
MAX_BYTES = 1024 * 1024

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the command line can be told once instead of every time.

    Attributes:
        collection: Directory of the collection.
        policy: Name of the chunking policy.
        max_tokens: Largest chunk; None for the sizes of the policy.
        tokenizer: ``words``, ``wordpiece``, ``cl100k_base``, ``o200k_base``, a tokenizer.json or ``module:function``.
        embedder: ``minilm``, ``static``, ``none`` for a collection with words only, ``openai:MODEL``, or one of another
            package.
        vectors: ``eager``: ingest makes them; ``lazy``: ingest stores words, a search makes those it needs; ``auto``:
            lazy for ``minilm`` in a large collection, else eager.
        lazy_candidates: Chunks for which a search makes lazy vectors.
        openai_base_url: Server of an ``openai:`` embedder, up to ``/v1``; in a file only one on this machine.
        openai_window: Tokens that its model reads.
        openai_tokenizer: Whose tokens these are; as ``tokenizer``.
        openai_dimensions: Length of the vectors to ask for; None for the model's own.
        openai_document_prefix: Stands in front of each text.
        openai_query_prefix: Stands in front of a question.
        openai_revision: The user's name for the weights.
        openai_batch: Texts a request at most.
        openai_timeout: Seconds that one request may take.
        include: Only files that match one of these patterns; empty for all.
        exclude: No file that matches one of these patterns.
        max_bytes: Larger files are skipped with a reason.
        labels: ``key = value`` labels of every document of the run.
        path_labels: Path pattern and ``key=value`` label of the documents it matches; all matches count.
        domains: Path pattern and domain; the first match counts.
        classes: Path pattern and document class; the first match counts.
        policies: Policies of the file by name, each with the origins of its values.
        signals: Detectors and words of the file; None for none.
    """

    collection: str = ".withgrain"
    policy: str = "structure_aware"
    max_tokens: int | None = None
    tokenizer: str = "wordpiece"
    embedder: str = "minilm"
    vectors: str = "auto"
    lazy_candidates: int = 50
    openai_base_url: str = ""
    openai_window: int = 254
    openai_tokenizer: str = "wordpiece"
    openai_dimensions: int | None = None
    openai_document_prefix: str = ""
    openai_query_prefix: str = ""
    openai_revision: str = ""
    openai_batch: int = 32
    openai_timeout: int = 60
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_bytes: int = 64 * 1024 * 1024
    labels: Pairs = ()
    path_labels: Pairs = ()
    domains: Pairs = ()
    classes: Pairs = ()
    policies: Mapping[str, LoadedPolicy] = field(default_factory=dict)
    signals: Rules | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """Settings and, for each, where its value comes from (``default``, ``flag``, a variable, a file with line)."""

    settings: Settings
    origins: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """How the values of one type are written: what a message calls them, and how TOML and a variable spell them."""

    words: str
    from_toml: Callable[[Any], Any]
    from_text: Callable[[str], Any]


def load(
    flags: Mapping[str, object] | None = None,
    *,
    directory: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Resolved:
    """Resolve all settings.

    Args:
        flags: Values from the command line by setting; None means "not given".
        directory: Where the search for a file begins; the working directory by default.
        environment: Variables; those of the process by default.

    Raises:
        ConfigError: A file cannot be read, or has an unknown key or a wrong value; or a variable has.
    """
    values: dict[str, Any] = {}
    origins = {field.name: "default" for field in fields(Settings)}
    for layer in (
        _from_file(directory or Path.cwd()),
        _from_variables(os.environ if environment is None else environment),
        {name: (value, "flag") for name, value in (flags or {}).items() if value is not None},
    ):
        for name, (value, origin) in layer.items():
            values[name] = value
            origins[name] = origin
    return Resolved(settings=Settings(**values), origins=origins)


def _from_variables(environment: Mapping[str, str]) -> dict[str, tuple[Any, str]]:
    found = {}
    for variable, text in sorted(environment.items()):
        if not variable.startswith(VARIABLE_PREFIX) or variable in SECRETS:
            continue
        name = variable.removeprefix(VARIABLE_PREFIX).lower()
        if name not in _KINDS:
            near = get_close_matches(name, _KINDS, n=1)
            hint = f" Did you mean {VARIABLE_PREFIX}{near[0].upper()}?" if near else ""
            raise ConfigError(f"The environment variable {variable} names no setting.{hint}")
        try:
            found[name] = (_KINDS[name].from_text(text), variable)
        except ValueError:
            raise ConfigError(
                f"The environment variable {variable} is {text!r}; it must be {_KINDS[name].words}."
            ) from None
    return found


def _from_file(directory: Path) -> dict[str, tuple[Any, str]]:
    found = _nearest(directory.resolve())
    if found is None:
        return {}
    path, text, table, prefix = found
    values = _tables(found)
    for key, value in table.items():
        if key in values or key in _TABLES or (key == "policy" and isinstance(value, dict)):
            continue
        line = _line_of(text, prefix, key)
        where = f"{path}:{line}"
        if key not in _KINDS:
            near = get_close_matches(key, (*_KINDS, *_TABLES), n=1)
            hint = f"Did you mean {near[0]}?" if near else f"Settings: {', '.join(_KINDS)}."
            if isinstance(value, dict) and not prefix:
                hint = f"In {FILE_NAME} settings stand at the top, without a table."
            if f"{VARIABLE_PREFIX}{key.upper()}" in SECRETS:
                hint = f"A key does not belong in a file: set {VARIABLE_PREFIX}{key.upper()}."
            raise ConfigError(f"{where}: there is no setting {prefix}{key}. {hint}")
        try:
            values[key] = (_KINDS[key].from_toml(value), where)
        except ValueError:
            raise ConfigError(f"{where}: {prefix}{key} is {value!r}; it must be {_KINDS[key].words}.") from None
    _refuse_code(values)
    _refuse_address(values)
    if "collection" in values:
        place, origin = values["collection"]
        values["collection"] = (str(path.parent / place), origin)
    return values


def _tables(found: tuple[Path, str, dict[str, Any], str]) -> dict[str, tuple[Any, str]]:
    """Return the settings that are tables of their own: policies (and which to use), detectors, words, classes."""
    path, text, table, prefix = found
    values: dict[str, tuple[Any, str]] = {}

    def place(keys: tuple[str, ...]) -> str:
        """Say where a key is written, or the nearest one around it that is found."""
        for depth in range(len(keys), 0, -1):
            line = _line_of(text, prefix + "".join(f"{key}." for key in keys[: depth - 1]), keys[depth - 1])
            if line > 1:
                break
        return f"{path}:{line}"

    policies = table.get("policy")
    if isinstance(policies, dict):
        from withgrain.chunk import POLICIES, load_policies

        written = dict(policies)
        used = written.pop("use", None)
        loaded = load_policies(written, lambda keys: place(("policy", *keys)))
        values["policies"] = (
            {name: one for name, one in loaded.items() if name not in POLICIES},
            place(("policy",)),
        )
        if used is not None:
            if not isinstance(used, str) or used not in loaded:
                raise ConfigError(
                    f"{place(('policy', 'use'))}: {prefix}policy.use is {used!r}; {_one_of(used, loaded)}"
                )
            values["policy"] = (used, place(("policy", "use")))
    if "detector" in table or "vocabulary" in table:
        from withgrain.signals import read_rules

        where = place(("detector",) if "detector" in table else ("vocabulary",))
        rules = read_rules(table.get("detector", []), table.get("vocabulary", {}), where=where)
        values["signals"] = (rules, where)
    classes = table.get("classes")
    if isinstance(classes, dict):
        from withgrain.chunk import CLASSES

        for pattern, doc_class in classes.items():
            if doc_class not in CLASSES:
                where = place(("classes", pattern))
                raise ConfigError(
                    f"{where}: {prefix}classes.{pattern!r} is {doc_class!r}; {_one_of(doc_class, CLASSES)}"
                )
        values["classes"] = (tuple(classes.items()), place(("classes",)))
    return values


def _one_of(value: object, known: Iterable[str]) -> str:
    """Say what a value must be, and the nearest right one."""
    near = get_close_matches(str(value), list(known), n=1)
    return f"it must be one of {', '.join(known)}." + (f" Did you mean {near[0]}?" if near else "")


def _refuse_code(values: Mapping[str, tuple[Any, str]]) -> None:
    """Refuse a tokenizer that is a function: files come with documents, and reading documents must not run their code.

    Raises:
        ConfigError: Says where a function can be named.
    """
    for name, flag in (("tokenizer", "--tokenizer"), ("openai_tokenizer", "")):
        spec, origin = values.get(name, ("", ""))
        if ":" in spec and not spec.endswith(".json"):
            ways = f"as {flag} {spec} or in" if flag else "in"
            raise ConfigError(
                f"{origin}: a file cannot name a function to run ({spec}), as files may come with documents of others. "
                f"Give it {ways} the variable {VARIABLE_PREFIX}{name.upper()}."
            )


def _refuse_address(values: Mapping[str, tuple[Any, str]]) -> None:
    """Refuse a server elsewhere: reading documents must not send them, and a key, where their folder says.

    Raises:
        ConfigError: Says where such an address can be named.
    """
    address, origin = values.get("openai_base_url", ("", ""))
    if not address:
        return
    from withgrain.embed.endpoint import is_loopback

    if not is_loopback(address):
        raise ConfigError(
            f"{origin}: a file can name a server on this machine only, as files may come with documents of others. "
            f"Give this address in the variable {VARIABLE_PREFIX}OPENAI_BASE_URL."
        )


def _nearest(directory: Path) -> tuple[Path, str, dict[str, Any], str] | None:
    """Return path, text, table of settings and dotted prefix of the nearest configuration file."""
    for place in (directory, *directory.parents):
        own = place / FILE_NAME
        if os.path.lexists(own):
            text = _read(own)
            return own, text, _toml(own, text), ""
        project = place / "pyproject.toml"
        if not project.is_file():
            continue
        text = _read(project)
        if "withgrain" not in text:  # somebody else's file: its mistakes are not ours to report
            continue
        tools = _toml(project, text).get("tool")
        if isinstance(tools, dict) and "withgrain" in tools:
            table = tools["withgrain"]
            if not isinstance(table, dict):
                raise ConfigError(f"{project}: tool.withgrain is {table!r}; it must be a table of settings.")
            return project, text, table, "tool.withgrain."
    return None


def _read(path: Path) -> str:
    try:
        if not path.is_file():  # a folder; a pipe or a device, which might never end; a link that leads nowhere
            raise ConfigError(f"{path}: the configuration is not a regular file. Replace or remove it.")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ConfigError(f"{path}: the configuration is larger than {MAX_BYTES:,} bytes.")
        return data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: the configuration cannot be read: {error}.") from None


def _toml(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise ConfigError(f"{path}:{line[1] if line else 1}: this is not TOML: {error}.") from None
    except RecursionError:
        raise ConfigError(f"{path}:1: the configuration is nested too deeply.") from None
    except ValueError as error:  # a number of thousands of digits
        raise ConfigError(f"{path}:1: the configuration cannot be read: {error}.") from None


def _line_of(text: str, prefix: str, key: str) -> int:
    """Return the 1-based line on which a setting is written; 1 when it is written in a way not looked for."""
    table = prefix.removesuffix(".")
    written = rf"[\"']?{re.escape(key)}[\"']?"
    current = ""
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line)
        if header:
            current = header[1].replace('"', "").replace("'", "")
            if current == f"{prefix}{key}" or current.startswith(f"{prefix}{key}."):
                return number
        elif current == table and re.match(rf"\s*{written}\s*[=.]", line):
            return number
    return 1


def _check(value: Any, valid: bool) -> Any:
    if not valid:
        raise ValueError("not of the type of this setting")
    return value


def _number(value: Any) -> int:
    number = int(value) if isinstance(value, str) else value
    return int(_check(number, isinstance(number, int) and not isinstance(number, bool) and number > 0))


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def pairs(texts: tuple[str, ...] | list[str]) -> Pairs:
    """Return ``key=value`` texts as pairs.

    Raises:
        ValueError: A text has no ``=``, or nothing in front of it.
    """
    cut = tuple(text.partition("=") for text in texts)
    _check(cut, all(key.strip() and equals for key, equals, _ in cut))
    return tuple((key.strip(), value.strip()) for key, _, value in cut)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(v, str) for v in value.values())


_TEXT = _Kind(
    words="a text",
    from_toml=lambda v: _check(v, isinstance(v, str) and v != ""),
    from_text=lambda t: _check(t, t != ""),
)
_VECTORS = _Kind(
    words="auto, eager or lazy",
    from_toml=lambda v: _check(v, v in ("auto", "eager", "lazy")),
    from_text=lambda t: _check(t, t in ("auto", "eager", "lazy")),
)
_NUMBER = _Kind(
    words="a whole number above 0", from_toml=lambda v: _number(_check(v, isinstance(v, int))), from_text=_number
)
_TEXTS = _Kind(words="a list of texts", from_toml=lambda v: tuple(_check(v, _is_texts(v))), from_text=_split)
_PAIRS = _Kind(
    words="a table of texts (in a variable: name=value,name=value)",
    from_toml=lambda v: tuple(_check(v, _is_table(v)).items()),
    from_text=lambda t: pairs(_split(t)),
)

_KINDS: dict[str, _Kind] = {
    "collection": _TEXT,
    "policy": _TEXT,
    "max_tokens": _NUMBER,
    "tokenizer": _TEXT,
    "embedder": _TEXT,
    "vectors": _VECTORS,
    "lazy_candidates": _NUMBER,
    "openai_base_url": _TEXT,
    "openai_window": _NUMBER,
    "openai_tokenizer": _TEXT,
    "openai_dimensions": _NUMBER,
    "openai_document_prefix": _TEXT,
    "openai_query_prefix": _TEXT,
    "openai_revision": _TEXT,
    "openai_batch": _NUMBER,
    "openai_timeout": _NUMBER,
    "include": _TEXTS,
    "exclude": _TEXTS,
    "max_bytes": _NUMBER,
    "labels": _PAIRS,
    "path_labels": _PAIRS,
    "domains": _PAIRS,
    "classes": _PAIRS,
}

#: Settings that are tables of their own.
_TABLES = ("detector", "vocabulary")
