#!/usr/bin/env bash
# The sources that hold something for Windows alone, read by a compiler for Windows: syntax only, without
# linking, and without the libraries that installer/windows/build_dependencies.sh builds. windows_syntax.sh ROOT WORK
set -u -o pipefail

root=$1 work=$2
compiler=x86_64-w64-mingw32-g++-posix
command -v "$compiler" >/dev/null || { echo "$compiler is missing; third_party/packages.txt names its package"; exit 1; }
cd "$root" || exit 1

# Headers that are the same on every system; all of /usr/include would bring Linux' own too.
rm -rf "$work" && mkdir -p "$work" || exit 1
for name in CLI nlohmann vulkan vk_video volk.h pcre2.h utf8proc.h uv uv.h http_parser.h; do
    found=$(ls -d /usr/include/"$name" /usr/include/*/"$name" 2>/dev/null | head -n 1)
    [[ -n $found ]] || { echo "the header $name is missing; third_party/packages.txt names its package"; exit 1; }
    ln -s "$found" "$work/$name" || exit 1
done

mapfile -t sources < <(grep -rlE '_WIN32|<windows\.h>|<http_parser\.h>' engine app/cli app/common app/server installer/windows tests/engine tests/app/cli \
    --include='*.cpp' | xargs grep -L '<QtTest>' | sort)
((${#sources[@]} > 15)) || { echo "only ${#sources[@]} sources name Windows"; exit 1; }
printf '%s\0' "${sources[@]}" | xargs -0 -P 2 -n 1 "$compiler" -fsyntax-only -std=c++20 -Wall -Wextra -Wpedantic -Wshadow \
    -Wconversion -Wold-style-cast -D_WIN32_WINNT=0x0603 -D__USE_MINGW_ANSI_STDIO=1 -DHEARTH_VERSION='"0"' \
    -Iengine/include -Iengine -Iapp -Iapp/cli -Iapp/common -Itests -isystem "$work" || exit 1

# A function may not have the name of a macro of Windows' headers ("isascii"): other sources are not read here.
names=$(printf '#include <%s>\n' cctype cmath cstdio cstdlib cstring ctime cwchar filesystem thread |
    "$compiler" -std=c++20 -D__USE_MINGW_ANSI_STDIO=1 -x c++ -dM -E - | sed -n 's/^#define \([a-z][a-z0-9_]*\)\b.*/\1/p' |
    grep -vxE 'alloca|environ|errno|offsetof|pclose|popen|stderr|stdin|stdout' | paste -sd '|')
[[ $names == *isascii* ]] || { echo "the macros of Windows' headers are not known: $names"; exit 1; }
if grep -rnwE "($names)" engine app/cli app/common app/server --include='*.cpp' --include='*.h' | grep -vE "\"($names)\""; then
    echo "the names above are macros of Windows' headers"
    exit 1
fi
echo "${#sources[@]} sources with parts for Windows"
