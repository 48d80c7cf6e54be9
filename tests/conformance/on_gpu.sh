#!/bin/sh
# on_gpu.sh COMMAND...: runs a test with the driver of GPUs that RAMET_TEST_GPU names, as RAMET_GPU does, or on a
# processor behind OpenCL. Exits with 77, which skips the test, if PoCL is needed and not installed.
driver=${RAMET_TEST_GPU:-opencl:cpu}
if [ "$driver" = opencl:cpu ] && ! ls /etc/OpenCL/vendors/pocl*.icd > /dev/null 2>&1; then
  echo "skipped: PoCL is not installed (pocl-opencl-icd)"
  exit 77
fi
RAMET_GPU=$driver exec "$@"
