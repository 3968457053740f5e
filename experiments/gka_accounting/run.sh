#!/bin/sh
# Recomputes every stored number and the figure of this folder (run from the repository).
set -eu
here=$(dirname "$0")
kattn-bounds gka account --depth 20 --table --json "$here/results/depth20.json" --figure "$here/results/ratios.png" \
    > "$here/results/depth20.txt"
kattn-bounds gka account --depth 20 --short quarter > "$here/results/depth20-quarter.txt"
if [ "${1:-}" = "--memory" ]; then python "$here/memory.py"; fi
