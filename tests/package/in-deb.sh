#!/usr/bin/env bash
# Runs in a bare Debian: installs /ramet/ramet.deb and ramet-server.deb with what they depend on, and uses each part.
# grep reads all of its input (no -q), because a program that finds its pipe closed fails.
set -euo pipefail
cd /ramet
apt-get -qq -y install --no-install-recommends ./ramet.deb > apt.log 2>&1 || { cat apt.log; exit 1; }

fail() { echo "$*" >&2; exit 1; }

echo "- the program"
ramet --version
ldd /usr/bin/ramet /usr/lib/libramet.so.0 | grep 'not found' && fail "libraries are missing"
ramet ops --json | grep '"MatMul"' > /dev/null || fail "ramet ops does not list MatMul"
for file in man/man1/ramet.1.gz doc/ramet/copyright bash-completion/completions/ramet; do
  dpkg -L ramet | grep -x "/usr/share/$file" > /dev/null || fail "the package does not contain /usr/share/$file"
done
zcat /usr/share/man/man1/ramet.1.gz | grep '^.SS "ramet convert' > /dev/null || fail "the manual page lacks 'ramet convert'"
[ "$(bash -c '. /usr/share/bash-completion/completions/ramet; COMP_WORDS=(ramet conv); COMP_CWORD=1; _ramet
    echo "${COMPREPLY[*]}"')" = convert ] || fail "bash does not complete 'ramet conv'"

echo "- the library, with CMake and with pkg-config"
apt-get -qq -y install --no-install-recommends libdnnl2 g++ cmake make pkg-config > apt.log 2>&1 || { cat apt.log; exit 1; }
cmake -S outside -B cmake -DRAMET_TARGET=Ramet::ramet -DRAMET_KIND=shared > cmake.log || { cat cmake.log; exit 1; }
cmake --build cmake > cmake.log || { cat cmake.log; exit 1; }
[ "$(cmake/outside)" = "float[1,2] 4 6" ] || fail "the program that CMake built printed: $(cmake/outside)"
# shellcheck disable=SC2046
g++ -std=c++20 outside/main.cc -o outside/main $(pkg-config --cflags --libs ramet)
[ "$(outside/main)" = "float[1,2] 4 6" ] || fail "the program that pkg-config built printed: $(outside/main)"

echo "- the server"
ldconfig -p | grep libgrpc > /dev/null && fail "the library depends on gRPC"
ramet serve --version > serve.log 2>&1 && fail "ramet serve works without its package"
grep ramet-server serve.log > /dev/null || fail "ramet serve does not name its package: $(cat serve.log)"
apt-get -qq -y install --no-install-recommends ./ramet-server.deb > apt.log 2>&1 || { cat apt.log; exit 1; }
ramet serve --version | grep "^ramet-serve " > /dev/null || fail "ramet serve printed: $(ramet serve --version)"

echo "- removal"
apt-get -qq -y purge ramet ramet-server > apt.log 2>&1 || { cat apt.log; exit 1; }
left=$(find /usr /etc -iname '*ramet*' -not -path '/usr/share/doc/*')
[ -z "$left" ] || fail "still there after the removal: $left"
