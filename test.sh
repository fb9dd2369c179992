#!/usr/bin/env bash
# Sets up as run.sh does and runs the tests.
#
#   ./test.sh        what every change must pass: minutes
#   ./test.sh --all  also the long ones: sanitizers, a hundred kills, a million executions of each fuzz
#                    target; an hour and more. HEARTH_KILLS, HEARTH_FUZZ_RUNS and HEARTH_FUZZ_SECONDS
#                    say how many kills, and when a search ends.
set -u -o pipefail

cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" || exit 1

all=no
if (($# > 1)); then
    printf 'test.sh: takes one option at most; ./test.sh --help lists what there is\n' >&2
    exit 2
fi
case ${1-} in
    "") ;;
    --all) all=yes ;;
    -h | --help)
        sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' test.sh
        exit 0
        ;;
    *)
        printf 'test.sh: unknown option %s; ./test.sh --help lists what there is\n' "$1" >&2
        exit 2
        ;;
esac

source .ci/steps.sh

# run_tests NAME FOLDER CTEST-ARGUMENT...
run_tests() {
    local name=$1 folder=$2
    shift 2
    say "==> $name"
    ctest --test-dir "$folder" --output-on-failure --no-tests=error --parallel "$(parallel_jobs)" "$@" ||
        fail "$name" "The failed tests are listed above with what they printed. One of them again, by its name:" \
            "ctest --test-dir ${folder#"$HEARTH_ROOT"/} --output-on-failure -R '^engine/gguf/reader\$'"
}

# sanitized PRESET CTEST-ARGUMENT...
sanitized() {
    local preset=$1
    shift
    say "==> Building with the $preset sanitizers"
    cmake --preset "$preset" >&2 || fail "configure $preset" "CMake's message is above."
    cmake --build --preset "$preset" --parallel "$(parallel_jobs)" >&2 ||
        fail "build $preset" "The compiler's message is above."
    run_tests "tests under $preset" "$HEARTH_ROOT/build-$preset" --label-exclude slow "$@"
}

# fuzz: searches with every fuzz target, from the committed corpus on.
fuzz() {
    say "==> Building the fuzz targets"
    cmake --preset fuzz >&2 || fail "configure fuzz" "CMake's message is above."
    cmake --build --preset fuzz --parallel "$(parallel_jobs)" >&2 ||
        fail "build fuzz" "The compiler's message is above."
    run_tests "fuzzing" "$HEARTH_ROOT/build-fuzz" --tests-regex '^fuzz/' --verbose
}

sections=(build run test)
[[ $all == no ]] || sections+=(all)
install_packages "${sections[@]}"
configure
build all
export LC_ALL=C.UTF-8

if [[ $all == no ]]; then
    run_tests "tests" "$HEARTH_BUILD" --label-exclude slow
else
    HEARTH_KILLS=${HEARTH_KILLS:-100} run_tests "all tests" "$HEARTH_BUILD"
    sanitized asan
    # The desktop's threads meet in Qt's event queue. Qt is not built with this sanitizer, so all that
    # passes through the queue would look like a race.
    sanitized tsan --tests-regex '^(engine|fuzz|app/cli)/'
    fuzz
fi
say "All tests passed."
