#!/usr/bin/env bash
# Packs what is built in a folder as a .deb for this release of Debian, into dist/: installer/deb/build.sh [FOLDER],
# build-installer if none is named. It needs Debian's dpkg-dev and python3, and compiles nothing.
# SOURCE_DATE_EPOCH: the time of the commit, unless it is set. Two builds of one commit give the same bytes.
set -e -u -o pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."

built=${1-build-installer}
if [[ ! -f $built/CPackConfig.cmake ]]; then
    echo "$built has no build with a window; installer/build.sh makes one in build-installer" >&2
    exit 1
fi
for program in dpkg-shlibdeps python3; do
    command -v "$program" >/dev/null || { echo "$program is missing: install dpkg-dev and python3" >&2; exit 1; }
done
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8
umask 022

rm -rf "$built/deb"
cpack --config "$built/CPackConfig.cmake" -G DEB -B "$PWD/$built/deb" >"$built/deb.log" 2>&1 || {
    tail -n 20 "$built/deb.log" >&2
    exit 1
}
mkdir -p dist
cp "$built"/deb/*.deb dist/
ls "$built"/deb/*.deb | sed 's|.*/|dist/|'
