#!/usr/bin/env bash
# failures_test.sh PROGRAM: checks that each failure gives one line on stderr and the exit code that --help documents,
# and that no process or folder is left behind.
set -uo pipefail
[ -f /usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz ] || {
  echo "skipped: dataset-fashion-mnist is not installed"
  exit 77
}
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tmp"
export TMPDIR=$scratch/tmp
failed=0

fail() {
  echo "FAILED: $1"
  cat "$scratch/out" "$scratch/err"
  failed=1
}

# expect NAME EXPECTED_CODE CODE TEXT: checks the exit code and stderr of a run that has ended.
expect() {
  [ "$3" = "$2" ] || fail "$1: exit code $3, expected $2"
  grep -q -- "$4" "$scratch/err" || fail "$1: expected '$4' in stderr"
  [ "$(wc -l < "$scratch/err")" = 1 ] || [ "$2" = 2 ] || fail "$1: expected one line in stderr"
  [ -z "$(ls -A "$TMPDIR")" ] || fail "$1: left behind $(ls "$TMPDIR")"
}

run() {
  "$program" --plot "$scratch/plot.svg" "$@" > "$scratch/out" 2> "$scratch/err"
}

# side_of PID ROLE: prints the pid of the child of PID that has this role.
side_of() {
  for child in $(cat "/proc/$1/task/$1/children"); do
    tr '\0' ' ' < "/proc/$child/cmdline" | grep -q "role=$2 " && echo "$child"
  done
}

# start: starts a long run in the background, stores its pid in $pid and waits until both followers have reported.
start() {
  "$program" --plot "$scratch/plot.svg" --steps 1000000 --save-every 20 > "$scratch/out" 2> "$scratch/err" &
  pid=$!
  for _ in $(seq 600); do
    grep -q "^shm-follower" "$scratch/out" && grep -q "^file-follower" "$scratch/out" && return
    sleep 0.1
  done
  fail "the followers did not report within a minute"
}

# runs PID: reports whether the process is alive and not a zombie.
runs() {
  grep -qs '^State:[[:space:]]*[RSDTtI]' "/proc/$1/status"
}

no_process_stays() {
  for process in "$@"; do
    for _ in $(seq 100); do
      runs "$process" || continue 2
      sleep 0.05
    done
    fail "process $process is still running"
  done
}

run --no-such-option
expect "wrong option" 2 $? "no-such-option"
run --data "$scratch"
expect "no data" 1 $? "train-images-idx3-ubyte"
run --rate 1000000 --steps 300
expect "NaN" 3 $? "NaN at step [1-9]"
run --trainer-device /device:XYZ:0
expect "unknown device" 1 $? "XYZ"
RAMET_GPU=off run --trainer /gpu:0 --followers /cpu:0
expect "no GPU" 1 $? "RAMET_GPU=opencl:cpu make run ARGS='--trainer /gpu:0 --followers /cpu:0'"

for role in trainer shm-follower file-follower; do
  start
  sides=("$(side_of $pid trainer)" "$(side_of $pid shm-follower)" "$(side_of $pid file-follower)")
  kill -KILL "$(side_of $pid $role)"
  wait $pid
  expect "killed $role" 1 $? "the $role was killed by signal 9"
  no_process_stays "${sides[@]}"
done

start
sides=("$(side_of $pid trainer)" "$(side_of $pid shm-follower)" "$(side_of $pid file-follower)")
kill -TERM $pid
wait $pid
expect "interrupted" 130 $? "interrupted"
no_process_stays "${sides[@]}"

# A server that ends after the training. The program runs the server that is next to it.
cp "$program" "$scratch/program"
cat > "$scratch/ramet-serve" <<'END'
#!/bin/sh
while [ ! -e "$(dirname "$0")/stop" ]; do sleep 0.1; done
exit 3
END
chmod +x "$scratch/ramet-serve"
"$scratch/program" --plot "$scratch/plot.svg" --steps 60 --save-every 20 --serve > "$scratch/out" 2> "$scratch/err" &
pid=$!
for _ in $(seq 600); do
  grep -q "press Ctrl-C" "$scratch/out" && break
  sleep 0.1
done
touch "$scratch/stop"
wait $pid
expect "the server ended" 1 $? "the server ended with exit code 3"

start
sides=("$(side_of $pid trainer)" "$(side_of $pid shm-follower)" "$(side_of $pid file-follower)")
kill -KILL $pid
wait $pid 2> /dev/null
no_process_stays "${sides[@]}"
exit $failed
