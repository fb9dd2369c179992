#!/usr/bin/env bash
# Builds for Windows what hearth-cli links, from Debian's source packages, into build-windows/dependencies:
# PCRE2, utf8proc, libuv and http-parser as static libraries, and the headers that are the same on every system. Needs no root.
#
# HEARTH_OLDER_SOURCES=1: where a mirror lacks the newest source package, an older one will do. For tests; what
# is given away wants the newest, which has the security fixes.
set -u -o pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." || exit 1

readonly WORK=$PWD/build-windows/dependencies-work
readonly PREFIX=$PWD/build-windows/dependencies
readonly SOURCES="pcre2 utf8proc libuv1 http-parser"

fail() {
    printf 'build_dependencies.sh: %s\n' "$*" >&2
    exit 1
}
# shellcheck source=installer/source_packages.sh
source installer/source_packages.sh

for tool in x86_64-w64-mingw32-g++-posix apt-get dpkg-source cmake ninja; do
    command -v "$tool" >/dev/null || fail "$tool is missing; third_party/packages.txt names its package"
done

# ---- source packages -----------------------------------------------------------------------------
readonly APT=$WORK/apt
mkdir -p "$WORK/source" || fail "cannot write to $WORK"

# versions_of SOURCE: newest first
versions_of() {
    source_apt "$APT" apt-cache showsrc "$1" 2>/dev/null | sed -n 's/^Version: //p' | sort -ruV
}

# unpack SOURCE: into $WORK/source/SOURCE, with the version beside it.
unpack() {
    local source=$1 version versions
    mapfile -t versions < <(versions_of "$source")
    ((${#versions[@]} > 0)) || fail "apt knows no source package $source; does /etc/apt name a mirror of Debian?"
    [[ ${HEARTH_OLDER_SOURCES-} == 1 ]] || versions=("${versions[0]}")
    for version in "${versions[@]}"; do
        [[ ! -e $WORK/source/$source.version || $(<"$WORK/source/$source.version") != "$version" ]] || return 0
        (cd "$WORK/source" && source_apt "$APT" apt-get --download-only source "$source=$version") >&2 || continue
        rm -rf "${WORK:?}/source/$source"
        (cd "$WORK/source" && dpkg-source --extract "${source}_${version#*:}.dsc" "$source") >&2 ||
            fail "the source package $source $version cannot be unpacked"
        [[ $version == "${versions[0]}" ]] || printf 'build_dependencies.sh: %s %s instead of %s, which the mirror lacks\n' \
            "$source" "$version" "${versions[0]}" >&2
        printf '%s' "$version" >"$WORK/source/$source.version"
        return 0
    done
    fail "the source package $source ${versions[0]} cannot be fetched (HEARTH_OLDER_SOURCES=1 takes an older one, for tests)"
}

made() {
    for source in $SOURCES; do
        printf '%s %s\n' "$source" "$(cat "$WORK/source/$source.version" 2>/dev/null)"
    done
    dpkg-query -W -f '${Package} ${Version}\n' libcli11-dev nlohmann-json3-dev libvulkan-dev libvulkan-volk-dev \
        g++-mingw-w64-x86-64-posix || fail "packages are missing; third_party/packages.txt names them"
    cat installer/windows/toolchain.cmake installer/windows/build_dependencies.sh | sha256sum
}

source_apt "$APT" apt-get update >&2 || printf 'build_dependencies.sh: some sources could not be asked; going on with the others\n' >&2
for source in $SOURCES; do
    unpack "$source"
done
if [[ -e $PREFIX/made && $(<"$PREFIX/made") == "$(made)" ]]; then
    exit 0
fi
rm -rf "$PREFIX"
mkdir -p "$PREFIX/include" "$PREFIX/lib/pkgconfig" "$PREFIX/share/cmake" "$PREFIX/licences" || fail "cannot write to $PREFIX"

# ---- static libraries ----------------------------------------------------------------------------
# built SOURCE TARGET OPTION...
built() {
    local source=$1 target=$2
    shift 2
    rm -rf "${WORK:?}/$source"
    cmake -S "$WORK/source/$source" -B "$WORK/$source" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
        -DCMAKE_TOOLCHAIN_FILE="$PWD/installer/windows/toolchain.cmake" \
        -DCMAKE_C_FLAGS="-ffile-prefix-map=$WORK=." "$@" >&2 &&
        cmake --build "$WORK/$source" --target "$target" >&2 || fail "$source does not build; the words above say why"
    cp "$WORK/source/$source/debian/copyright" "$PREFIX/licences/$source.txt" || fail "the licence of $source is missing"
}

# What Debian's own packages are built with: Unicode and the just-in-time compiler.
built pcre2 pcre2-8-static -DPCRE2_BUILD_PCRE2_8=ON -DPCRE2_SUPPORT_UNICODE=ON -DPCRE2_SUPPORT_JIT=ON \
    -DPCRE2_BUILD_TESTS=OFF -DPCRE2_BUILD_PCRE2GREP=OFF
cp "$WORK/pcre2/libpcre2-8.a" "$PREFIX/lib/" && cp "$WORK/pcre2/pcre2.h" "$PREFIX/include/" || fail "PCRE2's files are not where they were"
cat >"$PREFIX/lib/pkgconfig/libpcre2-8.pc" <<END
Name: libpcre2-8
Description: PCRE2, static
Version: $(sed -n 's/^\([0-9.]*\).*/\1/p' "$WORK/source/pcre2.version")
Cflags: -I$PREFIX/include -DPCRE2_STATIC
Libs: -L$PREFIX/lib -lpcre2-8
END

built utf8proc utf8proc -DUTF8PROC_ENABLE_TESTING=OFF
cp "$WORK/utf8proc/libutf8proc.a" "$PREFIX/lib/" && cp "$WORK/source/utf8proc/utf8proc.h" "$PREFIX/include/" || fail "utf8proc's files are not where they were"
cat >"$PREFIX/lib/pkgconfig/libutf8proc.pc" <<END
Name: libutf8proc
Description: utf8proc, static
Version: $(sed -n 's/^\([0-9.]*\).*/\1/p' "$WORK/source/utf8proc.version")
Cflags: -I$PREFIX/include -DUTF8PROC_STATIC
Libs: -L$PREFIX/lib -lutf8proc
END

built libuv1 uv_a -DLIBUV_BUILD_TESTS=OFF -DLIBUV_BUILD_BENCH=OFF
cp "$WORK/libuv1/libuv_a.a" "$PREFIX/lib/libuv.a" && cp -R "$WORK/source/libuv1/include/." "$PREFIX/include/" || fail "libuv's files are not where they were"
cat >"$PREFIX/lib/pkgconfig/libuv.pc" <<END
Name: libuv
Description: libuv, static
Version: $(sed -n 's/^\([0-9.]*\).*/\1/p' "$WORK/source/libuv1.version")
Cflags: -I$PREFIX/include
Libs: -L$PREFIX/lib -luv -lpsapi -luser32 -ladvapi32 -liphlpapi -luserenv -lws2_32
END

# One C file, whose own makefile knows no other system.
x86_64-w64-mingw32-gcc-posix -O2 "-ffile-prefix-map=$WORK=." -c "$WORK/source/http-parser/http_parser.c" -o "$WORK/http_parser.o" &&
    x86_64-w64-mingw32-ar rcsD "$PREFIX/lib/libhttp_parser.a" "$WORK/http_parser.o" &&
    cp "$WORK/source/http-parser/http_parser.h" "$PREFIX/include/" &&
    cp "$WORK/source/http-parser/debian/copyright" "$PREFIX/licences/http-parser.txt" || fail "http-parser does not build; the words above say why"

# ---- headers -------------------------------------------------------------------------------------
# Copied: all of /usr/include would bring Linux' own headers too.
for name in CLI nlohmann vulkan vk_video volk.h volk.c; do
    cp -R "/usr/include/$name" "$PREFIX/include/" || fail "/usr/include/$name is missing; third_party/packages.txt names its package"
done
for name in CLI11 nlohmann_json; do
    cp -R "/usr/share/cmake/$name" "$PREFIX/share/cmake/" || fail "/usr/share/cmake/$name is missing"
done
for name in libcli11-dev nlohmann-json3-dev libvulkan-dev libvulkan-volk-dev; do
    cp "/usr/share/doc/$name/copyright" "$PREFIX/licences/$name.txt" || fail "the licence of $name is missing"
done

made >"$PREFIX/made"
