"""The nearest configuration file: found, read, and its lines counted."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any

from withgrain.errors import ConfigError

FILE_NAME = "withgrain.toml"

#: No honest configuration is larger.
MAX_BYTES = 1024 * 1024

#: Path, text, table of settings and dotted prefix of a configuration file.
Found = tuple[Path, str, dict[str, Any], str]


def nearest(directory: Path) -> Found | None:
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


def line_of(text: str, prefix: str, key: str) -> int:
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
