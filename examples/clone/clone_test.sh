#!/usr/bin/env bash
# clone_test.sh PROGRAM: the copy starts as the original, follows it, and goes its own way.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tmp"
TMPDIR=$scratch/tmp "$1" | tee "$scratch/out"
expect() { grep -q -- "$1" "$scratch/out" || { echo "no '$1'"; exit 1; }; }
expect "^Right after cloning they differ by 0\.$"
expect "^After 200 steps of the original they differ by [01]\.[0-9]*[1-9]"
expect "^After an update they differ by 0\.$"
expect "^Following slowly through 200 steps it is 0\.0[0-9]* behind\.$"
expect "the original has not moved\.$"
expect "restored there: they differ by 0\.$"
[ -z "$(ls -A "$scratch/tmp")" ] || { echo "left behind: $(ls "$scratch/tmp")"; exit 1; }
