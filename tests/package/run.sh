#!/usr/bin/env bash
# run.sh FOLDER: installs the Debian package and the wheel in FOLDER, each in a bare Debian of its own, and uses them
# there. Exits with 77 (skipped) if it cannot make a bare Debian, which needs root.
set -euo pipefail
packages=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)

if [ "$(id -u)" -ne 0 ] || ! unshare --mount true 2> /dev/null; then
  echo "SKIPPED: a bare Debian needs root and a mount namespace of its own"
  exit 77
fi
if [ -z "${RAMET_PACKAGE_TEST-}" ]; then  # mounts disappear with the mount namespace
  RAMET_PACKAGE_TEST=1 exec unshare --mount --propagation private "$0" "$packages"
fi

deb=$(echo "$packages"/ramet_*.deb) server_deb=$(echo "$packages"/ramet-server_*.deb) wheel=$(echo "$packages"/ramet-*.whl)
work=$(mktemp -d)
clean() {
  mount | awk -v work="$work/" 'index($3, work) == 1 {print $3}' | sort -r | xargs -r umount
  rm -rf --one-file-system "$work"  # never the files of a mount that could not be removed
}
trap clean EXIT

sources=/etc/apt/sources.list.d/debian.sources
mirror=()  # debootstrap's own, unless this machine has one
[ -f $sources ] && mirror=("$(awk '/^URIs:/ {print $2; exit}' $sources)")
debootstrap --variant=minbase --include=ca-certificates bookworm "$work/bare" "${mirror[@]}" > "$work/log" ||
  { tail "$work/log" >&2; exit 1; }

# make_root NAME: makes a bare Debian in $work/NAME with this machine's package sources.
make_root() {
  local root=$work/$1 folder
  cp -a "$work/bare" "$root"
  if [ -f $sources ]; then
    rm -f "$root/etc/apt/sources.list"
    cp $sources "$root/etc/apt/sources.list.d/"
  fi
  for file in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
    if [ -f "$file" ]; then cp "$file" "$root$file"; fi
  done
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mkdir "$root/ramet"
  cp "$here"/in-*.sh "$source/tests/wheel/program.py" "$root/ramet/"
  chroot "$root" apt-get -qq update
}

# in_root NAME COMMAND...: runs a command there, in an environment that holds nothing of this machine's.
in_root() {
  local root=$work/$1
  shift
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    chroot "$root" "$@"
}

echo "== lintian $(basename "$deb") $(basename "$server_deb")"
lintian --fail-on error,warning "$deb" "$server_deb"

echo "== $(basename "$wheel") in a bare Debian"
make_root wheel
cp "$wheel" "$work/wheel/ramet/"
in_root wheel /ramet/in-wheel.sh

echo "== $(basename "$deb") in a bare Debian"
make_root deb
cp "$deb" "$work/deb/ramet/ramet.deb"
cp "$server_deb" "$work/deb/ramet/ramet-server.deb"
cp -r "$source/tests/install/outside" "$work/deb/ramet/outside"
in_root deb /ramet/in-deb.sh
echo "the packages work"
