#!/usr/bin/env bash
# Symptom: libramet.so exports or imports symbols that clash with another library in the process. exported_symbols.sh
# LIBRARY: checks that it defines only dynamic symbols of the namespace ramet, none of them of a proto message, and uses
# no protobuf, Eigen or oneDNN from outside.
set -euo pipefail
library=$1
# _ZN5ramet... functions and data, _ZT?N5ramet... vtables and typeinfo, _ZTh.../_ZTv... thunks.
public='^_Z(T[ISTV]|T[hv]n?[0-9_n]*_)?NK?5ramet'
foreign='(6google|12ramet_google|5Eigen|7leveldb|6snappy|4dnnl|dnnl_|6spdlog)'

defined=$(nm -D --defined-only --format=just-symbols "$library")
[ -n "$defined" ] || { echo "$library exports nothing"; exit 1; }
bad=$(grep -Ev "$public" <<< "$defined" || true)
bad+=$(grep -E "$public" <<< "$defined" | grep -E "^_ZT?.?N?K?5ramet.*$foreign" || true)
borrowed=$(nm -D --undefined-only --format=just-symbols "$library" | grep -E '6google|5Eigen|dnnl_' || true)

[ -z "$bad" ] || { echo "exported, but not of Ramet's public API:"; c++filt <<< "$bad"; }
[ -z "$borrowed" ] || { echo "expected to be private, but taken from another library:"; c++filt <<< "$borrowed"; }
echo "$(wc -l <<< "$defined") exported symbols, $(stat -Lc %s "$library") bytes"
[ -z "$bad$borrowed" ]
