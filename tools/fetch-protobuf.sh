#!/usr/bin/env bash
# fetch-protobuf.sh DIR VERSION: puts the C++ source of Debian's protobuf VERSION, as printed by protoc --version,
# into DIR. Downloads the source package once per user and keeps it in ${XDG_CACHE_HOME:-~/.cache}/ramet. Needs no
# deb-src line and changes nothing in /etc/apt or /var/lib/apt.
set -euo pipefail

dest=$1
version=$2
stamp=$dest/.complete-$version
[ -e "$stamp" ] && exit 0

fail() {
  echo "fetch-protobuf.sh: $*" >&2
  exit 1
}

cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/ramet
mkdir -p "$dest"
dest=$(cd "$dest" && pwd)
mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ] || { cache=$dest/download && mkdir -p "$cache"; }
work=$(mktemp -d "$cache/work.XXXXXX")
trap 'rm -rf "$work"' EXIT

deb_src_copy_of_the_system_sources() {
  local file
  for file in /etc/apt/sources.list.d/*.sources; do
    [ -e "$file" ] || continue
    awk '/^Types:/{$0="Types: deb-src"} {print}' "$file" > "$1/$(basename "$file")"
  done
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -e "$file" ] || continue
    sed -n 's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$file" > "$1/$(basename "$file" .list).list"
  done
}

download() {
  local apt=(apt-get -qq
    -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work/parts"
    -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root
    -o Acquire::Retries=3 -o APT::Update::Post-Invoke-Success::= -o APT::Update::Post-Invoke::=)
  mkdir -p "$work/parts" "$work/lists/partial" "$work/cache/archives/partial" "$work/files"
  deb_src_copy_of_the_system_sources "$work/parts"
  "${apt[@]}" update || fail "apt-get update of the source lists failed; see the messages above"
  local installed
  installed=$(dpkg-query -W -f '${source:Version}' protobuf-compiler 2>/dev/null || true)
  cd "$work/files"
  "${apt[@]}" source --download-only "protobuf=$installed" 2>/dev/null ||
    "${apt[@]}" source --download-only protobuf ||
    fail "apt-get source protobuf failed; without a network, provide the unpacked source:" \
         "cmake -DRAMET_PROTOBUF_SOURCE=DIR"
  rm -rf "$cache/protobuf-$version"
  mv "$work/files" "$cache/protobuf-$version"
}

unpack() {
  local dsc
  dsc=$(echo "$cache/protobuf-$version"/*.dsc)
  # dpkg-source checks the sizes and SHA-256 hashes of the files against the .dsc and applies Debian's patches.
  dpkg-source --no-copy -x "$dsc" "$work/source" > "$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
}

command -v dpkg-source > /dev/null || fail "dpkg-source is missing: apt-get install dpkg-dev"
exec 9> "$cache/protobuf.lock"
flock 9
ls "$cache/protobuf-$version"/*.dsc > /dev/null 2>&1 || (download)
unpack || {
  rm -rf "$cache/protobuf-$version" "$work/source"
  (download)
  unpack || fail "cannot unpack the source package of protobuf"
}
found=$(sed -n 's/^AC_INIT(\[Protocol Buffers\],\[\([0-9.]*\)\].*/\1/p' "$work/source/configure.ac")
[ "$found" = "$version" ] || {
  rm -rf "$cache/protobuf-$version"
  fail "Debian's source package is protobuf $found but protoc is $version: apt-get upgrade protobuf-compiler"
}
rm -rf "$dest/src"
cp -r "$work/source/src" "$work/source/LICENSE" "$dest/"
touch "$stamp"
