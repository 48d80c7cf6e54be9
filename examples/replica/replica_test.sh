#!/usr/bin/env bash
# replica_test.sh TRAINER FOLLOWER: checks that a follower started first ends with the values of the trainer.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
address="shm:$scratch/line.sock"
"$2" "$address" > "$scratch/followed" &
follower=$!
"$1" "$address" 3000 1 | tee "$scratch/trained"
wait $follower
cat "$scratch/followed"
grep -q '^trained 3000 steps: y = 2 x + 1; published [1-9]' "$scratch/trained"
grep -q '^the trainer has ended; f(10) = 21 with version [0-9]* of step 3000, ' "$scratch/followed"
