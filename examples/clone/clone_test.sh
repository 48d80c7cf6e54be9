#!/usr/bin/env bash
# clone_test.sh PROGRAM: checks that the copy starts equal to the original, follows it, and can be trained separately.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tmp"
TMPDIR=$scratch/tmp "$1" | tee "$scratch/out"
expect() { grep -q -- "$1" "$scratch/out" || { echo "expected '$1' in the output"; exit 1; }; }
expect "^Right after cloning they differ by 0\.$"
expect "^After 200 steps of the original they differ by [01]\.[0-9]*[1-9]"
expect "^After an update they differ by 0\.$"
expect "^After 200 steps with a moving average they differ by 0\.0[0-9]*\.$"
expect "the original has not changed\.$"
expect "restored into the original: they differ by 0\.$"
[ -z "$(ls -A "$scratch/tmp")" ] || { echo "left behind: $(ls "$scratch/tmp")"; exit 1; }
