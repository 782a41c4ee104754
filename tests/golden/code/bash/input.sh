#!/usr/bin/env bash
# Opens and shuts the gates.
set -euo pipefail

LIMIT=4

# Opens one gate.
open_gate() {
  local id=$1
  cat <<EOF
function fake() {
  not a function
EOF
}

function shut_gate {
  echo "shut } $1"
}

case "${1:-}" in
  open) open_gate "$2" ;;
  *) shut_gate "$2" ;;
esac
