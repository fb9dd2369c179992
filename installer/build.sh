#!/usr/bin/env bash
# Builds what is released, into dist/, from a clean checkout and this system's packages.
#
#   installer/build.sh           the Linux installer, and dist/SHA256SUMS
#   installer/build.sh --all     also what installer/*/build.sh make for other systems, and the Windows installer
#   HEARTH_SIGNING_KEY=FILE ...  also dist/SHA256SUMS.minisig, by minisign with this secret key
#
# The programs are an ordinary build in build-installer/. Two builds of one commit with the same packages, in whatever
# folders, give the same bytes. SOURCE_DATE_EPOCH: the time of the commit, unless it is set.
set -u -o pipefail

cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." || exit 1
all=no
case ${1-} in
    "") ;;
    --all) all=yes ;;
    -h | --help)
        sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' installer/build.sh
        exit 0
        ;;
    *)
        printf 'build.sh: unknown option %s; installer/build.sh --help lists what there is\n' "$1" >&2
        exit 2
        ;;
esac

source .ci/steps.sh
readonly WORK=$HEARTH_ROOT/build-installer DIST=$HEARTH_ROOT/dist

install_packages build run installer
if [[ -z ${SOURCE_DATE_EPOCH-} ]]; then
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null) ||
        fail "date the files" "This is no git checkout: set SOURCE_DATE_EPOCH to the release's time in seconds."
fi
# Also Qt's resource compiler dates its files by this.
export SOURCE_DATE_EPOCH

say "==> Building the programs"
cmake -S . -B "$WORK" -G Ninja -DCMAKE_BUILD_TYPE=Release -DHEARTH_DESKTOP=ON -DHEARTH_TESTS=OFF \
    -DHEARTH_QMLCACHEGEN="$HEARTH_ROOT/installer/run/qmlcachegen.py" >&2 ||
    fail "configure" "CMake's message is above."
cmake --build "$WORK" --parallel "$(parallel_jobs)" >&2 || fail "build" "The compiler's message is above."
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$WORK/CMakeCache.txt")
[[ -n $version ]] || fail "find the version" "build-installer/CMakeCache.txt has no CMAKE_PROJECT_VERSION."

# The order of names, wherever they are sorted. Not before: compiler caches tell locales apart.
export LC_ALL=C.UTF-8
say "==> Collecting what the Linux installer carries"
rm -rf "$WORK/stage" "$WORK/payload"
cmake --install "$WORK" --prefix "$WORK/stage" >"$WORK/install.log" 2>&1 || fail "install" "$(tail -n 5 "$WORK/install.log")"
installer/run/payload.py --stage "$WORK/stage" --qml app/desktop/qml --out "$WORK/payload" ||
    fail "collect the payload" "What is missing is named above."
mkdir -p "$WORK/payload/share/doc/hearth" || exit 1
installer/licences/make_notices.py --ours bin/qt.conf "$WORK/payload" "$WORK/payload/share/doc/hearth/copyright" ||
    fail "write the licences" "What may not be shipped is listed above."
installer/run/check_payload.py --tree "$WORK/payload" --forbid "$HEARTH_ROOT" ||
    fail "check the payload" "What is wrong is listed above."

say "==> Packing"
mkdir -p "$DIST" || exit 1
run=$DIST/hearth-$version-linux-x86_64.run
installer/run/pack.py --tree "$WORK/payload" --version "$version" --out "$run" || fail "pack" "The reason is above."

if [[ $all == yes ]]; then
    for part in installer/*/build.sh installer/windows/package.sh; do
        say "==> $part"
        "$part" || fail "$part" "The reason is above."
    done
fi
installer/sign.sh "$DIST" || fail "sign" "The reason is above."
say "==> $(du -b "$run" | awk '{ printf "%.1f MB", $1 / 1e6 }') in dist/${run##*/}, $(du -sb "$WORK/payload" | awk '{ printf "%.1f MB", $1 / 1e6 }') unpacked"
