#!/usr/bin/env bash
# NEVER RUN. Hearth for macOS, built there with Homebrew's libraries: this is how it ought to go.
# Nobody has compiled it; the NEON kernels are checked on Linux under emulation. Whoever runs it first is asked to mend it.
# In build-macos/stage afterwards: bin/hearth, bin/hearth-cli and share/hearth, for this Mac alone: no bundle, see README.md.
set -u -o pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." || exit 1

fail() {
    printf 'installer/macos/window.sh: %s\n' "$*" >&2
    exit 1
}

[[ $(uname -s) == Darwin ]] || fail "this wants a Mac; on Linux there is installer/build.sh"
command -v brew >/dev/null || fail "this wants Homebrew"
printf 'This script has never been run. What it stumbles over is news.\n' >&2

brew install cmake ninja pkgconf pcre2 utf8proc libuv http-parser cli11 nlohmann-json vulkan-headers volk glslang md4c libzip openssl@3 qt qtkeychain ||
    fail "Homebrew says why above"
cmake -S . -B build-macos -G Ninja -DCMAKE_BUILD_TYPE=Release -DHEARTH_CBC=OFF \
    -DCMAKE_PREFIX_PATH="$(brew --prefix);$(brew --prefix openssl@3)" || fail "CMake's message is above"
cmake --build build-macos || fail "the compiler's message is above"
# First what has no window: arithmetic, threads that sleep, files.
for checks in kernel_checks sleep_checks test_engine_base_file_checks test_app_cli_plain_checks; do
    "build-macos/bin/$checks" || fail "$checks failed"
done
build-macos/bin/hearth-cli run -p "What is rain?" || fail "no answer"
cmake --install build-macos --prefix build-macos/stage || fail "CMake's message is above"
printf 'build-macos/stage\n'
