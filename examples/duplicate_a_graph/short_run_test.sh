#!/usr/bin/env bash
# short_run_test.sh PROGRAM OPTION...: a short run ends well, draws its plot and leaves nothing behind.
set -euo pipefail
[ -f /usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz ] || {
  echo "skipped: dataset-fashion-mnist is not installed"
  exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tmp"

TMPDIR=$scratch/tmp "$@" --plot "$scratch/plot.svg" | tee "$scratch/out"
grep -q "^Accuracy: 0\.[0-9]* on both sides (" "$scratch/out"
grep -q "^To follow checkpoints of your own: " "$scratch/out"
[ "$(grep -c '<path ' "$scratch/plot.svg")" = 2 ]
[ -z "$(ls -A "$scratch/tmp")" ] || { echo "left behind: $(ls "$scratch/tmp")"; exit 1; }
