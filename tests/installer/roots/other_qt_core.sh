#!/usr/bin/env bash
# Builds libQt6Core from this system's source package of Qt, with other options than Debian's, and prints where it lies,
# below build-other-qt/. It takes some minutes, once. apt gets a configuration of its own, with the system's sources
# turned into those of source packages: this needs no root. Exit status 1 with the reason.
set -u -o pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../../.." || exit 1

readonly WORK=$PWD/build-other-qt
readonly CORE=$WORK/installed/lib/libQt6Core.so.6.4.2
readonly APT=$WORK/apt

fail() {
    echo "other_qt_core.sh: $*" >&2
    exit 1
}

own_apt() {
    local tool=$1
    shift
    "$tool" -q -o Dir::State="$APT" -o Dir::State::lists="$APT/lists" -o Dir::State::status=/var/lib/dpkg/status \
        -o Dir::Cache="$APT/cache" -o Dir::Etc::sourcelist="$APT/sources.list" -o Dir::Etc::sourceparts="$APT/sources.d" \
        -o APT::Sandbox::User="$(id -un)" "$@"
}

build() {
    mkdir -p "$APT/lists/partial" "$APT/cache/archives/partial" "$APT/sources.d" || return 1
    : >"$APT/sources.list"
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [[ ! -f $list ]] || sed -n 's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$list" >>"$APT/sources.list"
    done
    for list in /etc/apt/sources.list.d/*.sources; do
        [[ ! -f $list ]] || sed 's/^Types:.*/Types: deb-src/' "$list" >"$APT/sources.d/${list##*/}"
    done
    own_apt apt-get update || return 1
    (cd "$WORK" && own_apt apt-get --download-only source qt6-base) || return 1
    rm -rf "$WORK/source" && dpkg-source --extract "$WORK"/qt6-base_*.dsc "$WORK/source" || return 1
    # The tools are the system's, and of the libraries only Core is built. What uses it wants its event loop on GLib and zstd in resources. Qt's own rule gives
    # the file the RUNPATH $ORIGIN when it is installed.
    local off=()
    for feature in gui widgets sql network dbus testlib xml concurrent; do
        off+=("-DFEATURE_$feature=OFF")
    done
    local folder
    folder=$(qtpaths6 --query QT_INSTALL_LIBS) || return 1
    cmake -S "$WORK/source" -B "$WORK/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" \
        -DCMAKE_INSTALL_PREFIX="$WORK/installed" -DQT_HOST_PATH=/usr -DQT_HOST_PATH_CMAKE_DIR="$folder/cmake" -DFEATURE_glib=ON -DFEATURE_zstd=ON "${off[@]}" || return 1
    cmake --build "$WORK/build" --parallel "$(nproc)" --target Core || return 1
    cmake -P "$WORK/build/src/corelib/cmake_install.cmake" || return 1
}

if [[ ! -e $CORE ]]; then
    mkdir -p "$WORK" || exit 1
    build >"$WORK/log" 2>&1 || fail "$(tail -n 5 "$WORK/log")"
fi
[[ -e $CORE ]] || fail "the build left no $CORE"
echo "$CORE"
