#!/usr/bin/env bash
# run_programs.sh PROGRAM...: runs the programs in an empty folder, in order; each finds the files of those before it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for program in "$@"; do
  "$program"
done
