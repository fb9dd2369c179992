#!/usr/bin/env bash
# Cross-builds for Windows on Debian: dist/hearth-cli.exe, and the checks that need no Qt in build-windows/bin.
set -u -o pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." || exit 1

fail() {
    printf 'installer/windows/build.sh: %s\n' "$*" >&2
    exit 1
}

installer/windows/build_dependencies.sh || exit 1
cmake -S . -B build-windows -G Ninja -DCMAKE_BUILD_TYPE=Release -DHEARTH_DESKTOP=OFF -DHEARTH_TESTS=ON -DHEARTH_CBC=OFF \
    -DCMAKE_TOOLCHAIN_FILE="$PWD/installer/windows/toolchain.cmake" >&2 || fail "CMake's message is above"
cmake --build build-windows --parallel "$(nproc)" --target hearth-cli kernel_checks sleep_checks \
    test_engine_base_file_checks test_engine_base_child_checks test_app_cli_plain_checks >&2 ||
    fail "the compiler's message is above"
# With --preserve-dates the time in the file's header stays what the linker wrote, none; else it would be now.
mkdir -p dist && x86_64-w64-mingw32-strip --preserve-dates -o dist/hearth-cli.exe build-windows/bin/hearth-cli.exe || fail "dist/ cannot be written"
printf 'dist/hearth-cli.exe\n'
