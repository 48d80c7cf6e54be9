#!/usr/bin/env bash
# fine_tune_test.sh PROGRAM: it learns, keeps what it shall keep, and says what is wrong with what it is given.
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

expect() { grep -q -- "$1" "$scratch/out" || { echo "no '$1' in:"; cat "$scratch/out"; exit 1; }; }
fails() {  # fails MESSAGE ARGS...
  local message=$1 code=0
  shift
  "$program" "$@" > "$scratch/out" 2>&1 || code=$?
  [ $code = 1 ] || { echo "$* ended with $code"; exit 1; }
  expect "$message"
}

"$program" --folder "$scratch/ck" | tee "$scratch/out"
expect "^Right after:  0\.[89]"
expect "^Of their 26 variables 0 have changed"
expect "^From the files alone: 0\.[89]"
"$program" --model "$scratch/ck/theirs" --train-all --rate 0.001 --steps 30 | tee "$scratch/out"
expect "^Of their 26 variables 6 have changed"
[ -z "$(ls -A "$scratch/tmp")" ] || { echo "left behind: $(ls "$scratch/tmp")"; exit 1; }

fails "File $scratch/ck/their.meta does not exist" --model "$scratch/ck/their"
fails "'featurs', does not exist in the graph. Did you mean 'features'?" --model "$scratch/ck/theirs" --layer featurs:0
fails "'imges', does not exist in the graph. Did you mean 'images'?" --model "$scratch/ck/theirs" --input imges:0
rm "$scratch/ck/theirs.index"
fails "The passed save_path is not a valid checkpoint: $scratch/ck/theirs" --model "$scratch/ck/theirs"
