#!/usr/bin/env bash
# short_run_test.sh PROGRAM OPTION...: checks that a short run succeeds, draws its plot and leaves nothing behind.
set -euo pipefail
[ -f /usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz ] || {
  echo "skipped: dataset-fashion-mnist is not installed"
  exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tmp"

TMPDIR=$scratch/tmp "$@" --plot "$scratch/plot.svg" | tee "$scratch/out"
grep -q "^Accuracy: 0\.[0-9]* on all sides (" "$scratch/out"
grep -Eq "^  shared memory \(shm:\) +[0-9.]+ [um]s +([0-9.]+ [um]s|-) +[1-9]" "$scratch/out"
grep -Eq "^  checkpoints \(file:\) +[0-9.]+ [um]s +([0-9.]+ [um]s|-) +[1-9]" "$scratch/out"
grep -q "^To follow your own trainer: " "$scratch/out"
[ "$(grep -c '<path ' "$scratch/plot.svg")" = 3 ]
[ -z "$(ls -A "$scratch/tmp")" ] || { echo "left behind: $(ls "$scratch/tmp")"; exit 1; }
