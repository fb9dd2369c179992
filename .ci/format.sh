#!/usr/bin/env bash
# Whether every C++ file is as clang-format leaves it; --fix makes it so. Versions differ in what they leave:
# only the pinned one judges. Exit status 1 where a file differs, 77 where that version is not here.
set -u -o pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." || exit 1

readonly PINNED=14  # Debian 12's

formatter=""
for candidate in "clang-format-$PINNED" clang-format; do
    if command -v "$candidate" >/dev/null && [[ $("$candidate" --version) == *"version $PINNED."* ]]; then
        formatter=$candidate
        break
    fi
done
if [[ -z $formatter ]]; then
    echo "The format is not checked: it is that of clang-format $PINNED, which is not here."
    exit 77
fi
how=(--dry-run -Werror)
[[ ${1-} != --fix ]] || how=(-i)
find app engine shaders tests -name '*.h' -print0 -o -name '*.cpp' -print0 |
    xargs -0 -P "$(nproc)" -n 40 "$formatter" "${how[@]}" || {
    echo "Some files are not formatted; this formats them: .ci/format.sh --fix"
    exit 1
}
