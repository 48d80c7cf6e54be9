#!/usr/bin/env bash
# fine_tune_test.sh PROGRAM: checks that training reaches its accuracy, that only the intended variables change, and
# that wrong arguments give clear errors.
set -euo pipefail
[ -f /usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz ] || {
  echo "skipped: dataset-fashion-mnist is not installed"
  exit 77
}
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tmp" "$scratch/ck"
export TMPDIR=$scratch/tmp

expect() { grep -q -- "$1" "$scratch/out" || { echo "expected '$1' in:"; cat "$scratch/out"; exit 1; }; }
fails() {  # fails MESSAGE ARGS...
  local message=$1 code=0
  shift
  "$program" "$@" > "$scratch/out" 2>&1 || code=$?
  [ $code = 1 ] || { echo "$* exited with $code, expected 1"; exit 1; }
  expect "$message"
}

"$program" --folder "$scratch/ck" | tee "$scratch/out"
expect "^Accuracy after training:  0\.[89]"
expect "^0 of the 26 imported variables have changed"
expect "^Accuracy of the saved model: 0\.[89]"
"$program" --model "$scratch/ck/theirs" --train-all --rate 0.001 --steps 30 | tee "$scratch/out"
expect "^6 of the 26 imported variables have changed"
[ -z "$(ls -A "$scratch/tmp")" ] || { echo "left behind: $(ls "$scratch/tmp")"; exit 1; }

fails "File $scratch/ck/their.meta does not exist" --model "$scratch/ck/their"
fails "'featurs', does not exist in the graph. Did you mean 'features'?" --model "$scratch/ck/theirs" --layer featurs:0
fails "'imges', does not exist in the graph. Did you mean 'images'?" --model "$scratch/ck/theirs" --input imges:0
rm "$scratch/ck/theirs.index"
fails "The passed save_path is not a valid checkpoint: $scratch/ck/theirs" --model "$scratch/ck/theirs"
