#!/usr/bin/env bash
# Two builds of this commit, in folders of different names, give the same bytes: the .run and the .deb. HEAD, not what is uncommitted. Each
# is compiled, whatever caches there are: it takes as long as two builds.
# Exit status: 0; 1 with the files that differ; 77 where releases are not built.
set -u -o pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." || exit 1

grep -q bookworm /etc/os-release || { echo "Not run: releases are built on Debian 12"; exit 77; }
git rev-parse --verify --quiet HEAD >/dev/null || { echo "Not run: this is no git checkout"; exit 77; }
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER
export CCACHE_DISABLE=1
readonly PLACES=("$PWD/build-twice/a" "$PWD/build-twice/a-folder-of-another-length")
for place in "${PLACES[@]}"; do
    rm -rf "$place"
    git clone --quiet . "$place" && "$place/installer/build.sh" && "$place/installer/deb/build.sh" || exit 1
done
status=0
for kind in run deb; do
    cmp "${PLACES[0]}"/dist/*."$kind" "${PLACES[1]}"/dist/*."$kind" || status=1
done
((status == 0)) || diff "${PLACES[0]}/build-installer/payload/manifest" "${PLACES[1]}/build-installer/payload/manifest"
((status != 0)) || echo "Both builds are equal: $(cd "${PLACES[0]}/dist" && sha256sum ./*.run ./*.deb | tr '\n' ' ')"
exit $status
