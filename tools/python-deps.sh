#!/usr/bin/env bash
# python-deps.sh FOLDER: installs what the Python package needs for the first `python3` on PATH. Installs numpy and
# protobuf if they are missing (Debian's packages for Debian's interpreter). Installs the packages that only the build
# needs into FOLDER: nanobind, and numpy 2 for its headers.
set -euo pipefail
tools=$1
here=$(cd "$(dirname "$0")" && pwd)

python=$(python3 -c 'import sys; print(sys.executable)')
has() { python3 -c "import $1" 2> /dev/null; }

packages=()
has numpy || packages+=(numpy)
has google.protobuf || packages+=(protobuf)
if [ "$python" = /usr/bin/python3 ]; then
  "$here/install-deps.sh" debian-python
elif [ ${#packages[@]} -gt 0 ]; then
  echo "Installing for $python: ${packages[*]}"
  python3 -m pip install --quiet --disable-pip-version-check "${packages[@]}"
fi

if [ ! -d "$tools/nanobind" ] || [ ! -d "$tools/numpy" ]; then
  echo "Installing nanobind and numpy's headers to $tools"
  python3 -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target "$tools" \
    'nanobind>=3.1' 'numpy>=2'
fi
