#!/usr/bin/env bash
# Sets up as run.sh does and runs the tests.
#
#   ./test.sh        what every change must pass: minutes
#   ./test.sh --all  also the long ones: fuzzing, hundreds of kills, sanitizers
set -u -o pipefail

cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" || exit 1

all=no
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

# sanitized PRESET: builds the preset and runs what needs no display under it.
sanitized() {
    say "==> Building with the $1 sanitizers"
    cmake --preset "$1" >&2 || fail "configure $1" "CMake's message is above."
    cmake --build --preset "$1" --parallel "$(parallel_jobs)" >&2 || fail "build $1" "The compiler's message is above."
    run_tests "tests under $1" "$HEARTH_ROOT/build-$1" --label-regex "unit|kernels" --label-exclude "ui|slow"
}

# fuzz: searches with every fuzz target, from the committed corpus on.
fuzz() {
    say "==> Building the fuzz targets"
    cmake --preset fuzz >&2 || fail "configure fuzz" "CMake's message is above."
    cmake --build --preset fuzz --parallel "$(parallel_jobs)" >&2 ||
        fail "build fuzz" "The compiler's message is above."
    run_tests "fuzzing, $HEARTH_FUZZ_SECONDS seconds each" "$HEARTH_ROOT/build-fuzz" --tests-regex '^fuzz/'
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
    # Read by the tests labelled slow; each has a default for a shorter run.
    export HEARTH_KILLS=${HEARTH_KILLS:-300} HEARTH_FUZZ_SECONDS=${HEARTH_FUZZ_SECONDS:-120}
    run_tests "all tests" "$HEARTH_BUILD"
    sanitized asan
    sanitized tsan
    fuzz
fi
say "All tests passed."
