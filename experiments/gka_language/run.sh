#!/bin/sh
# All runs (they resume), then the table and the figures. Needs the extra: make test EXTRAS=gka, or pip install torch.
set -eu
here=$(dirname "$0")
OMP_NUM_THREADS=1 kattn-bounds gka train --config "$here/config.yaml" --output "$here/results"
python "$here/plot.py"
