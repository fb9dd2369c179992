#!/usr/bin/env bash
# Packs dist/hearth-VERSION-windows-x86_64.exe with NSIS, from what build.sh has built. The same sources are the same bytes.
set -u -o pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." || exit 1

fail() {
    printf 'installer/windows/package.sh: %s\n' "$*" >&2
    exit 1
}

[[ -f dist/hearth-cli.exe ]] || fail "dist/hearth-cli.exe is missing; run installer/windows/build.sh first"

version=$(sed -n 's/^project(hearth VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
payload=$PWD/build-windows/payload
output=$PWD/dist/hearth-$version-windows-x86_64.exe
rm -rf "$payload"
mkdir -p "$payload/bin" "$payload/share/hearth/starter-model" "$payload/share/hearth/licences" || fail "cannot write to $payload"

# ---- what is installed ---------------------------------------------------------------------------
cp dist/hearth-cli.exe "$payload/bin/" &&
    cp resources/starter-model/*.gguf resources/starter-model/MODEL_CARD.md "$payload/share/hearth/starter-model/" &&
    cp LICENSE "$payload/share/hearth/licences/hearth.txt" &&
    cp build-windows/dependencies/licences/*.txt "$payload/share/hearth/licences/" || fail "a file to pack is missing"
# Linked statically: the C++ and C runtimes. Their texts are in the compiler's packages.
cp /usr/share/doc/gcc-mingw-w64-base/copyright "$payload/share/hearth/licences/gcc-runtime.txt" &&
    cp /usr/share/doc/mingw-w64-x86-64-dev/copyright "$payload/share/hearth/licences/mingw-w64-runtime.txt" ||
    fail "the licences of the compiler's runtimes are missing; third_party/packages.txt names its package"
x86_64-w64-mingw32-g++-posix -std=c++20 -O2 -Wall -Wextra -municode -mwindows -static -s -Wl,--no-insert-timestamp \
    -D_WIN32_WINNT=0x0603 -o "$payload/share/hearth/path-entry.exe" installer/windows/path_entry.cpp ||
    fail "path_entry.cpp does not build; the compiler's message is above"

installer/windows/pack.sh "$payload" "$version" "$output" || exit 1
printf '%s\n' "${output#"$PWD"/}"
