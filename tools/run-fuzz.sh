#!/usr/bin/env bash
# run-fuzz.sh BUILD SECONDS: runs each program BUILD/bin/*_fuzz for SECONDS. It starts from the inputs in
# tests/data/fuzz/<program> and keeps its corpus in BUILD/corpus.
set -uo pipefail
build=$1
seconds=$2
failed=0
for program in "$build"/bin/*_fuzz; do
  [ -x "$program" ] || { echo "no fuzz targets"; break; }
  corpus=$build/corpus/$(basename "$program")
  mkdir -p "$corpus"
  seeds=$(dirname "$0")/../tests/data/fuzz/$(basename "$program")
  [ -d "$seeds" ] || seeds=
  "$program" -max_total_time="$seconds" -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 -close_fd_mask=2 \
    -artifact_prefix="$corpus/" "$corpus" ${seeds:+"$seeds"} || failed=1
done
exit $failed
