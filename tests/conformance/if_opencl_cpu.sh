#!/bin/sh
# if_opencl_cpu.sh COMMAND...: runs a test on a processor behind OpenCL. Exits with 77, which skips the test, if PoCL
# is not installed.
ls /etc/OpenCL/vendors/pocl*.icd > /dev/null 2>&1 || {
  echo "skipped: PoCL is not installed (pocl-opencl-icd)"
  exit 77
}
RAMET_GPU=opencl:cpu exec "$@"
