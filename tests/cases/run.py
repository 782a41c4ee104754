"""Run a folder of cases: ``python -m tests.cases.run [--cases DIR] [--json] [--family bdef…]``.

The folder has the form described in its README: ``<id>/case.json`` and an input, and ``check.py``, the reference
checker (that of the default folder is used where it is missing). Prints each case and assertion, and at the end
``N passed, M failed``; exit code 1 when a case failed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.cases.adapter import run_case, run_in_new_process

DEFAULT = Path(__file__).parents[3] / "shared" / "cases"


def load_checker(path: Path) -> Any:
    """Import the reference checker from a file."""
    spec = importlib.util.spec_from_file_location("case_checker", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def checker_of(folder: Path) -> Path:
    """Return the folder's own checker, else the default one."""
    own = folder / "check.py"
    return own if own.exists() else DEFAULT / "check.py"


def outcomes(folder: Path, families: str = "") -> Iterator[dict[str, Any]]:
    """Yield ``{id, passed, assertions}`` for each case of a folder."""
    path = checker_of(folder)
    checker = load_checker(path)
    for directory in sorted(d for d in folder.iterdir() if (d / "case.json").exists()):
        if families and directory.name[0] not in families:
            continue
        yield outcome(directory, checker, path)


def outcome(directory: Path, checker: Any, checker_path: Path) -> dict[str, Any]:
    """Return the outcome of one case."""
    case = json.loads((directory / "case.json").read_text(encoding="utf-8"))
    raw = checker.make_source(case, directory)

    def rerun(data: bytes, config: Mapping[str, Any]) -> dict[str, Any]:
        if config.get("_process"):
            return run_in_new_process(directory / "case.json", checker_path, config)
        return run_case(case, data, checker.count_tokens, config)

    result = run_case(case, raw, checker.count_tokens)
    checked = checker.check_case(case, result, raw, rerun)
    assertions = [{"assertion": e, "passed": ok is True, "detail": detail} for ok, e, detail in checked]
    if result["error"] and not any(e["assertion"].get("assert") == "raises" for e in assertions):
        assertions.append(
            {"assertion": {"assert": "(always) no_error"}, "passed": False, "detail": str(result["error"])}
        )
    return {"id": directory.name, "passed": all(a["passed"] for a in assertions), "assertions": assertions}


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cases", type=Path, default=DEFAULT)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--family", default="", help="first letters of the case ids to run")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--checker", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        return _one(options.one, options.checker)
    found = list(outcomes(options.cases, options.family))
    failed = sum(not c["passed"] for c in found)
    if options.json:
        print(json.dumps({"cases": found}, ensure_ascii=False))
        return 1 if failed else 0
    for case in found:
        print(("PASS " if case["passed"] else "FAIL ") + case["id"])
        for a in case["assertions"]:
            if not a["passed"]:
                print(f"    {json.dumps(a['assertion'], ensure_ascii=False)[:160]} -> {a['detail'][:160]}")
    print(f"{len(found) - failed} passed, {failed} failed")
    return 1 if failed else 0


def _one(file: Path, checker_path: Path) -> int:
    checker = load_checker(checker_path)
    case = json.loads(file.read_text(encoding="utf-8"))
    config = json.loads(os.environ["WITHGRAIN_CASE_CONFIG"])
    print(json.dumps(run_case(case, checker.make_source(case, file.parent), checker.count_tokens, config)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
