#!/bin/sh
# Writes the stored tables again: results/*.json and results/*.txt, from the certificates that ship with the package.
set -e
cd "$(dirname "$0")"
table() { # name, options
  name=$1
  shift
  kattn-bounds sandwich "$@" > "results/$name.txt"
  kattn-bounds sandwich "$@" --json "results/$name.json" > /dev/null
}
table signed-n3 --m 1:20 --n 3
table nonneg-n3 --m 1:20 --n 3 --features nonneg
table signed-n4 --m 1:12 --n 4
table nonneg-n4 --m 1:12 --n 4 --features nonneg
table signed-n5 --m 1:12 --n 5
table nonneg-n5 --m 1:12 --n 5 --features nonneg
table free-n3 --m 1:12 --n 3 --readout free
