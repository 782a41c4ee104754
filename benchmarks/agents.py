"""Measure the server for agents: seconds to the first list of tools, and milliseconds of a search after warm-up.

``python benchmarks/agents.py COLLECTION``: wall time and the server's own processor time, as a raw client sees them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}
QUESTIONS = (
    "how do I rotate the signing key",
    "what happens when an account is disabled",
    "retention period of audit logs",
    "which port serves metrics",
    "restore a node from a backup",
    "who approves emergency access",
)


def main(collection: str) -> None:
    """Start the server, time it and print what was found."""
    started = time.perf_counter()
    program = str(Path(sys.executable).parent / "withgrain")
    with subprocess.Popen([program, "mcp", "-c", collection], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        stdin, stdout = server.stdin, server.stdout
        assert stdin and stdout

        def send(message: dict[str, Any]) -> None:
            stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            stdin.flush()

        def ask(method: str, params: dict[str, Any]) -> float:
            begun = time.perf_counter()
            send({"id": 1, "method": method, "params": params})
            stdout.readline()
            return time.perf_counter() - begun

        def processor() -> float:
            fields = Path(f"/proc/{server.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        ask("initialize", HELLO)
        send({"method": "notifications/initialized"})
        ask("tools/list", {})
        print(f"first list of tools   {time.perf_counter() - started:.2f} s   processor {processor():.2f} s")
        for question in QUESTIONS:
            ask("tools/call", {"name": "search", "arguments": {"query": f"warm up: {question}"}})
        before = processor()
        taken = [ask("tools/call", {"name": "search", "arguments": {"query": q}}) for q in QUESTIONS]
        spent = (processor() - before) / len(taken)
        print(f"search after warm-up  {1000 * median(taken):.0f} ms   processor {1000 * spent:.0f} ms")
        stdin.close()


if __name__ == "__main__":
    main(sys.argv[1])
