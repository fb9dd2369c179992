#!/usr/bin/env bash
# Builds libQt6Core from this system's source package of Qt, with other options than Debian's, and prints where it lies,
# below build-other-qt/. It takes some minutes, once, and needs no root. Exit status 1 with the reason.
set -u -o pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../../.." || exit 1

readonly WORK=$PWD/build-other-qt
readonly CORE=$WORK/installed/lib/libQt6Core.so.6.4.2
readonly APT=$WORK/apt

fail() {
    echo "other_qt_core.sh: $*" >&2
    exit 1
}

# shellcheck source=installer/source_packages.sh
source installer/source_packages.sh

build() {
    source_apt "$APT" apt-get update || return 1
    (cd "$WORK" && source_apt "$APT" apt-get --download-only source qt6-base) || return 1
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

# What Core is built with, by the Debian package that brings each.
has_what_it_needs() {
    local need missing=()
    for need in cmake:cmake ninja:ninja-build dpkg-source:dpkg-dev qtpaths6:qt6-base-dev pkg-config:pkg-config; do
        command -v "${need%%:*}" >/dev/null || missing+=("${need#*:}")
    done
    for need in glib-2.0:libglib2.0-dev libzstd:libzstd-dev; do
        pkg-config --exists "${need%%:*}" 2>/dev/null || missing+=("${need#*:}")
    done
    ((${#missing[@]} == 0)) || fail "these packages are not installed: ${missing[*]}"
}

if [[ ! -e $CORE ]]; then
    has_what_it_needs
    mkdir -p "$WORK" || exit 1
    build >"$WORK/log" 2>&1 || fail "$(tail -n 5 "$WORK/log")"
fi
[[ -e $CORE ]] || fail "the build left no $CORE"
echo "$CORE"
