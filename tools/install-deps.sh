#!/usr/bin/env bash
# install-deps.sh [build|server|serving|debian-python|clang|format|opencl|oracle|wheel|package|package-test]...: installs the missing Debian packages of these
# groups (default: build). Asks dpkg first, so that it takes only milliseconds if nothing is missing.
set -euo pipefail

declare -A groups=(
  [build]="build-essential cmake ninja-build ccache mold pkg-config dpkg-dev xz-utils patch ca-certificates
           protobuf-compiler libdnnl-dev libeigen3-dev libleveldb-dev libsnappy-dev zlib1g-dev libcli11-dev
           libpng-dev libjpeg62-turbo-dev libgif-dev libicu-dev libre2-dev
           libhiredis-dev libssl-dev libzstd-dev libspdlog-dev nlohmann-json3-dev libxxhash-dev libgtest-dev
           libgmock-dev libbenchmark-dev redis-server openssl iproute2
           dataset-fashion-mnist python3"
  [server]="libgrpc++-dev libprotobuf-dev protobuf-compiler libboost-dev rapidjson-dev libcli11-dev libssl-dev"
  [serving]="python3 python3-venv curl openssl"
  [debian-python]="python3-dev python3-pip python3-numpy python3-protobuf"
  [clang]="clang libclang-rt-14-dev llvm"
  [format]="clang-format"
  [opencl]="pocl-opencl-icd ocl-icd-libopencl1 opencl-c-headers libclblast1"
  [oracle]="python3 python3-venv libprotobuf-dev"
  [wheel]="python3-venv"
  [package]="python3-venv dpkg-dev file"
  [package-test]="debootstrap lintian"
)

wanted=()
for group in "${@:-build}"; do
  [ -n "${groups[$group]-}" ] || { echo "install-deps.sh: unknown group '$group'; expected one of: ${!groups[*]}" >&2; exit 2; }
  for package in ${groups[$group]}; do wanted+=("$package"); done
done

installed=" $(dpkg-query -W -f '${Package} ${Status}\n' 2>/dev/null | sed -n 's/ [a-z]* ok installed$//p' | tr '\n' ' ') "
missing=()
for package in "${wanted[@]}"; do
  [[ $installed == *" $package "* ]] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "Installing from Debian: ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo > /dev/null || {
    echo "install-deps.sh: not root and no sudo; as root run: apt-get install ${missing[*]}" >&2
    exit 1
  }
  as_root=(sudo)
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
quietly() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "$@" > "$log" 2>&1 || { tail -n 40 "$log" >&2; return 1; }
}
install() {
  quietly apt-get -y --no-install-recommends -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 install "${missing[@]}"
}
quietly apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 update || exit 1
install
