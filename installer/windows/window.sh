#!/usr/bin/env bash
# NEVER RUN. The window for Windows, built on Windows in MSYS2's UCRT64 shell: this is how it ought to go.
# Debian, where everything else is built and tested, has no Qt for mingw-w64. Whoever runs it first is asked to mend it.
# In build-window/stage afterwards: bin/hearth.exe with its libraries, and share/hearth with the starter model.
set -u -o pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." || exit 1

fail() {
    printf 'installer/windows/window.sh: %s\n' "$*" >&2
    exit 1
}

[[ ${MSYSTEM-} == UCRT64 ]] || fail "this wants the UCRT64 shell of MSYS2, on Windows; on Linux there is installer/windows/build.sh, for hearth-cli"
printf 'This script has never been run. What it stumbles over is news.\n' >&2

readonly P=mingw-w64-ucrt-x86_64
pacman -S --needed "$P-gcc" "$P-cmake" "$P-ninja" "$P-pkgconf" "$P-pcre2" "$P-libutf8proc" "$P-libuv" "$P-http-parser" "$P-cli11" "$P-nlohmann-json" \
    "$P-vulkan-headers" "$P-volk" "$P-glslang" "$P-md4c" "$P-libzip" "$P-openssl" "$P-qt6-base" "$P-qt6-declarative" "$P-qt6-svg" "$P-qt6-tools" \
    "$P-qtkeychain-qt6" || fail "pacman says why above"
cmake -S . -B build-window -G Ninja -DCMAKE_BUILD_TYPE=Release -DHEARTH_CBC=OFF || fail "CMake's message is above"
cmake --build build-window || fail "the compiler's message is above"
# First what has no window: arithmetic, threads that sleep, files.
for checks in kernel_checks sleep_checks test_engine_base_file_checks test_engine_base_child_checks test_app_cli_plain_checks; do
    "build-window/bin/$checks" || fail "$checks failed"
done
cmake --install build-window --prefix build-window/stage || fail "CMake's message is above"
windeployqt6 --qmldir app/desktop/qml build-window/stage/bin/hearth.exe || fail "Qt's libraries cannot be collected"
build-window/stage/bin/hearth.exe --version
