#!/usr/bin/env bash
# run-gpu-tests.sh BUILD [ctest argument]...: runs the tests of GPUs on the GPU of this machine, with the driver that
# RAMET_GPU names, or with CUDA for NVIDIA's GPUs and OpenCL for others. Then runs the tests of kernels under
# compute-sanitizer, if it is installed. Prints "skipped" on a machine without a GPU.
set -euo pipefail
cd "$1"
shift

has_file() { ls "$@" > /dev/null 2>&1; }
driver=${RAMET_GPU:-}
if [ -z "$driver" ]; then
  if has_file /dev/nvidiactl || has_file /dev/dxg; then
    driver=cuda
  elif has_file /dev/kfd || has_file /dev/dri/renderD*; then
    driver=opencl
  else
    echo "skipped: this machine has no GPU; make test-gpu-opencl runs the same tests on a processor"
    exit 0
  fi
fi

export RAMET_TEST_GPU=$driver
status=0
# One test at a time, because each expects the memory of the whole GPU.
RAMET_GPU=off ctest --output-on-failure -j 1 -L gpu "$@" || status=1

sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2> /dev/null || true)
if [ "$driver" != cuda ]; then
  echo "compute-sanitizer: skipped with the driver $driver"
elif [ -z "$sanitizer" ]; then
  echo "compute-sanitizer: skipped: it is not installed (the CUDA toolkit has it)"
else
  for test in ramet_backends_gpu_test gpu_session_test; do
    for tool in memcheck racecheck; do
      echo "== $tool of $test"
      "$sanitizer" --tool "$tool" --error-exitcode 1 "bin/$test" || status=1
    done
  done
fi
exit $status
