#!/usr/bin/env bash
# Symptom: an installed Ramet does not build, link or run in an outside project. outside_project.sh BUILD COMPILER:
# installs BUILD to a new prefix and builds outside/ against it in four ways: with find_package and pkg-config, each
# with the shared and the static library.
set -euo pipefail
build=$1
compiler=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

run() {
  local name=$1
  shift
  local said
  said=$("$@") || { echo "$name: exit code $?: $said"; exit 1; }
  [ "$said" = "float[1,2] 4 6" ] || { echo "$name: expected float[1,2] 4 6, found: $said"; exit 1; }
  echo "$name: $said"
}

cmake --install "$build" --prefix "$prefix" > "$work/install.log" || { cat "$work/install.log"; exit 1; }
[ -x "$prefix/bin/ramet" ] && "$prefix/bin/ramet" --version
for kind in shared static; do
  [ "$kind" = shared ] && target=Ramet::ramet || target=Ramet::ramet_static
  cmake -G Ninja -S "$here/outside" -B "$work/$kind" -DCMAKE_PREFIX_PATH="$prefix" -DRAMET_TARGET=$target \
    -DRAMET_KIND=$kind -DCMAKE_CXX_COMPILER="$compiler" > "$work/log" || { cat "$work/log"; exit 1; }
  cmake --build "$work/$kind" > "$work/log" || { cat "$work/log"; exit 1; }
  run "find_package, $kind" "$work/$kind/outside"
done

libdir=$(dirname "$(find "$prefix" -name ramet.pc)")
export PKG_CONFIG_PATH=$libdir
for package in ramet ramet-static; do
  # shellcheck disable=SC2046
  "$compiler" -std=c++20 -O1 $(pkg-config --cflags $package) "$here/outside/main.cc" -o "$work/$package" \
    $(pkg-config --libs $package)
  run "pkg-config, $package" env LD_LIBRARY_PATH="${libdir%/pkgconfig}" "$work/$package"
done
