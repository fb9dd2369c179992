#!/usr/bin/env bash
# lint.sh clang-tidy | qmllint: what these say of the C++ and the QML files. Exit status 1 if they say
# something, 77 if the tool is not here.
set -u -o pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." || exit 1

build=build
[[ -f $build/compile_commands.json ]] || { echo "There is no $build/compile_commands.json; ./test.sh makes it."; exit 1; }

case ${1-} in
    clang-tidy)
        command -v clang-tidy >/dev/null || { echo "clang-tidy is not here."; exit 77; }
        # Windows' files include headers that only Windows has.
        find app engine -name '*.cpp' ! -name '*_windows.cpp' -print0 |
            xargs -0 -P "$(nproc)" -n 4 clang-tidy -p "$build" --quiet --warnings-as-errors='*' 2>/dev/null
        ;;
    qmllint)
        # Each version of Qt warns of something else.
        version=$(/usr/lib/qt6/bin/qmllint --version 2>/dev/null)
        [[ $version == *" 6.4"* ]] || { echo "QML files are checked with Qt 6.4's qmllint; here is ${version:-none}."; exit 77; }
        output=$(cmake --build "$build" --target hearth_ui_qmllint 2>&1)
        status=$?
        # The command names every file and is left out.
        if ((status != 0)) || grep -q '^Warning:\|^Error:' <<<"$output"; then
            grep -v '/qmllint --bare' <<<"$output"
            exit 1
        fi
        ;;
    *)
        echo "lint.sh: clang-tidy or qmllint"
        exit 2
        ;;
esac
