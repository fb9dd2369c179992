#!/usr/bin/env bash
# Packs what is in build/ as a .deb, twice to the same bytes, and tries it in fresh roots of Debian 12 and 13.
# Exit status 77 where it cannot be tried, with the reason in the last line.
set -u -o pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." || exit 1

command -v dpkg-shlibdeps >/dev/null || { echo "No .deb: dpkg-dev is not installed"; exit 77; }
deb=$(installer/deb/build.sh build) || exit 1
first=$(sha256sum <"$deb") && sleep 1 && installer/deb/build.sh build >/dev/null || exit 1
[[ $first == "$(sha256sum <"$deb")" ]] || { echo "Packed a second time, $deb has other bytes."; exit 1; }
exec tests/installer/deb/in_roots.sh "$PWD/$deb"
