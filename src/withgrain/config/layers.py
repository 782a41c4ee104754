"""Flag over variable over file over default: the layers of the settings, each value with its origin."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from withgrain.config.files import FILE_NAME, line_of, nearest
from withgrain.config.kinds import KINDS
from withgrain.config.settings import Resolved, Settings
from withgrain.config.tables import TABLES, read_tables
from withgrain.errors import ConfigError

VARIABLE_PREFIX = "WITHGRAIN_"

#: Variables that are no settings: they are read where they are used, and never shown.
SECRETS = ("WITHGRAIN_MCP_TOKEN", "WITHGRAIN_OPENAI_API_KEY", "WITHGRAIN_RERANK_TOKEN")


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
        if name not in KINDS:
            near = get_close_matches(name, KINDS, n=1)
            hint = f" Did you mean {VARIABLE_PREFIX}{near[0].upper()}?" if near else ""
            raise ConfigError(f"The environment variable {variable} names no setting.{hint}")
        try:
            found[name] = (KINDS[name].from_text(text), variable)
        except ValueError:
            raise ConfigError(
                f"The environment variable {variable} is {text!r}; it must be {KINDS[name].words}."
            ) from None
    return found


def _from_file(directory: Path) -> dict[str, tuple[Any, str]]:
    found = nearest(directory.resolve())
    if found is None:
        return {}
    path, text, table, prefix = found
    values = read_tables(found)
    for key, value in table.items():
        if key in values or key in TABLES or (key == "policy" and isinstance(value, dict)):
            continue
        line = line_of(text, prefix, key)
        where = f"{path}:{line}"
        if key not in KINDS:
            near = get_close_matches(key, (*KINDS, *TABLES), n=1)
            hint = f"Did you mean {near[0]}?" if near else f"Settings: {', '.join(KINDS)}."
            if isinstance(value, dict) and not prefix:
                hint = f"In {FILE_NAME} settings stand at the top, without a table."
            if f"{VARIABLE_PREFIX}{key.upper()}" in SECRETS:
                hint = f"A key does not belong in a file: set {VARIABLE_PREFIX}{key.upper()}."
            raise ConfigError(f"{where}: there is no setting {prefix}{key}. {hint}")
        try:
            values[key] = (KINDS[key].from_toml(value), where)
        except ValueError:
            raise ConfigError(f"{where}: {prefix}{key} is {value!r}; it must be {KINDS[key].words}.") from None
    _refuse_code(values)
    _refuse_address(values)
    if "collection" in values:
        place, origin = values["collection"]
        values["collection"] = (str(path.parent / place), origin)
    return values


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
