"""Run withgrain on one case and write the outcome in the "Result file" form of the cases' README."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from withgrain.chunk import STRUCTURE_AWARE, Policy, chunk_document
from withgrain.errors import WithgrainError
from withgrain.model import Block, Chunk, Document
from withgrain.parse import parse
from withgrain.tokens import from_callable

SUFFIXES = {"markdown": ".md", "mdx": ".mdx", "text": ".txt"}
_BEFORE = ("table_header", "stem", "signature", "fence_open", "marker")


def run_case(
    case: Mapping[str, Any], raw: bytes, count: Callable[[str], int], config: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the result of one case; errors of withgrain become its ``error`` entry."""
    config = dict(config if config is not None else case["config"])
    started = time.process_time()
    result: dict[str, Any] = {"chunks": [], "canonical_text": None, "doc_metadata": {}, "warnings": [], "error": None}
    try:
        name = case["input"].get("file") or f"input{SUFFIXES.get(case['format'], '.txt')}"
        document = parse(raw, uri=name)
        chunked = chunk_document(
            document,
            policy_of(config),
            from_callable(count, name="std", version="1"),
            metadata=config.get("metadata"),
        )
        result["canonical_text"] = document.text
        result["doc_metadata"] = json.loads(json.dumps(dict(document.meta)))
        result["warnings"] = [{"kind": n.kind, "message": n.message} for n in chunked.notices]
        result["chunks"] = [chunk_result(c, document) for c in chunked.chunks]
    except WithgrainError as error:
        result["error"] = {"kind": error.kind, "message": str(error)}
    result["cpu_seconds"] = time.process_time() - started
    result["max_rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return result


def policy_of(config: Mapping[str, Any]) -> Policy:
    """Return structure_aware with the limits of a case."""
    from dataclasses import replace

    policy = replace(STRUCTURE_AWARE, classes=()).with_maximum(config["max_tokens"])
    policy = policy.with_sizes(overlap=config.get("overlap", 0))
    if "min_tokens" in config:
        policy = policy.with_sizes(minimum=config["min_tokens"])
    return replace(policy, merge="siblings" if config.get("merge_sections") else "never")


def chunk_result(chunk: Chunk, document: Document) -> dict[str, Any]:
    """Return one chunk in the form that the checker reads."""
    assert chunk.span is not None
    found: dict[str, Any] = {
        "id": chunk.id,
        "text": chunk.body,
        "embed_text": chunk.embed_text,
        # Lexical terms are made from the NFKC form (withgrain.tokens.terms), before stemming and splitting.
        "search_text": unicodedata.normalize("NFKC", chunk.embed_text),
        "heading_path": list(chunk.heading_path),
        "start": chunk.span.start,
        "end": chunk.span.end,
        "kind": chunk.block_kinds[0] if len(chunk.block_kinds) == 1 else chunk.kind,
        "pages": list(chunk.pages),
    }
    found |= _symbols(chunk, document)
    before = [p.text for p in chunk.parts if p.role in _BEFORE and p.position == "before"]
    after = [p.text for p in chunk.parts if p.position == "after"]
    if before:
        found["context"] = "\n".join(before)
    if after:
        found["suffix"] = "\n".join(after)
    table = _table(chunk, document)
    if table:
        found["table"] = table
    return found


def _symbols(chunk: Chunk, document: Document) -> dict[str, Any]:
    """Return the symbols that the chunk is or holds, and the language, for documents that have symbols."""
    if not any(block.attrs.get("role") == "symbol" for block in document.blocks):
        return {}
    language = next((b.attrs["language"] for b in document.blocks if "language" in b.attrs), None)
    paths = [chunk.heading_path, *(ref.path for ref in chunk.sections)]
    names = [".".join(path) for path in paths if path]
    return {"symbol": names[0] if names else None, "symbols": names, "language": language}


def _table(chunk: Chunk, document: Document) -> dict[str, int] | None:
    assert chunk.span is not None
    for block in document.blocks:
        if block.kind == "table" and block.span.overlaps(chunk.span):
            body = [r for r in block.children if _is_body(r) and r.span.start < chunk.span.end]
            body = [r for r in body if r.span.end > chunk.span.start]
            return {"columns": int(block.attrs.get("columns", "0")), "body_rows": len(body)}
    return None


def _is_body(row: Block) -> bool:
    return row.attrs.get("role", "body") == "body"


def run_in_new_process(case_file: Path, checker: Path, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of a case made by a fresh interpreter with another hash seed."""
    command = [sys.executable, "-m", "tests.cases.run", "--one", str(case_file), "--checker", str(checker)]
    environment = {**os.environ, "PYTHONHASHSEED": "4242", "WITHGRAIN_CASE_CONFIG": json.dumps(dict(config))}
    done = subprocess.run(command, capture_output=True, check=True, env=environment, text=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result
