#!/usr/bin/env bash
# Sets up as run.sh does and runs the tests. Ends with the minutes each stage took and what was skipped.
#
#   ./test.sh        what every change must pass: minutes. Of the large tables a sample that covers them.
#   ./test.sh --all  all rows, and the long ones: clang-tidy, qmllint, a build with clang, sanitizers, a
#                    hundred kills, a million executions of each fuzz target, hearth-cli for Windows under
#                    Wine, and all tests in a Debian 13 root; some hours. HEARTH_KILLS, HEARTH_FUZZ_RUNS and
#                    HEARTH_FUZZ_SECONDS say how many kills, and when a search ends.
#
# HEARTH_NO_SKIP=1 makes every skipped row a failure; without it tests/allowed_skips.txt decides.
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

# ---- what is printed at the end ------------------------------------------------------------------
minutes_of=()
stage_name="" stage_began=0

# stage NAME: the time from here on is this stage's.
stage() {
    local now=$SECONDS
    [[ -z $stage_name ]] || minutes_of+=("$(printf '%6d:%02d  %s' $(((now - stage_began) / 60)) $(((now - stage_began) % 60)) "$stage_name")")
    stage_name=$1 stage_began=$now
}

readonly SKIPPED=$HEARTH_ROOT/build/skipped.tsv
readonly LABELS=$HEARTH_ROOT/build/label-times.txt
not_run=()

summary() {
    stage ""
    say ""
    say "Minutes, $(nproc) processors:"
    local line
    for line in "${minutes_of[@]}"; do
        say "$line"
    done
    [[ ! -s $LABELS ]] || { say "Processor time of the tests, by label:"; cat "$LABELS" >&2; }
    for line in ${not_run[@]+"${not_run[@]}"}; do
        say "Not run: $line"
    done
    if [[ -s $SKIPPED ]]; then
        say "$(sort -u "$SKIPPED" | wc -l) rows were skipped:"
        sort -u "$SKIPPED" | awk -F '\t' '{ printf "  %s: %s: %s\n", $1, $2, $3 }' >&2
    else
        say "No row was skipped."
    fi
}
trap summary EXIT

# run_tests NAME FOLDER CTEST-ARGUMENT...
run_tests() {
    local name=$1 folder=$2 status log=$HEARTH_ROOT/build/tests.log
    shift 2
    say "==> $name"
    # ctest, and the programs it starts, tell skips and times of their own accord; both are kept.
    HEARTH_SKIP_REPORT=$SKIPPED ctest --test-dir "$folder" --output-on-failure --no-tests=error \
        --parallel "$(parallel_jobs)" "$@" | tee "$log"
    status=${PIPESTATUS[0]}
    sed -n "s/^\([a-z]*\) *= *\([0-9.]*\) sec\*proc.*/\1 \2/p" "$log" |
        awk -v name="$name" '{ printf "%6d:%02d  %s (%s)\n", $2 / 60, $2 % 60, $1, name }' >>"$LABELS"
    ((status == 0)) ||
        fail "$name" "The failed tests are listed above with what they printed. One of them again, by its name:" \
            "ctest --test-dir ${folder#"$HEARTH_ROOT"/} --output-on-failure -R '^engine/gguf/reader\$'" \
            "A row that tests/allowed_skips.txt does not allow to be skipped fails its test too."
}

# build_preset PRESET
build_preset() {
    say "==> Building: preset $1"
    cmake --preset "$1" >&2 || fail "configure $1" "CMake's message is above."
    cmake --build --preset "$1" --parallel "$(parallel_jobs)" >&2 ||
        fail "build $1" "The compiler's message is above."
}

# sanitized PRESET CTEST-ARGUMENT...
sanitized() {
    local preset=$1
    shift
    stage "build and tests, sanitizers: $preset"
    build_preset "$preset"
    run_tests "tests under $preset" "$HEARTH_ROOT/build-$preset" --label-exclude slow "$@"
}

# check NAME SCRIPT ARGUMENT...: a script whose status 77 says why it could not be run.
check() {
    local name=$1 words status
    shift
    stage "$name"
    say "==> $name"
    if [[ $name == format ]]; then
        words=$("$@" 2>&1)
    else
        words=$("$@" 2>&1 | tee /dev/stderr)
    fi
    status=$?
    case $status in
        0) ;;
        77)
            not_run+=("$name: ${words##*$'\n'}")
            [[ ${HEARTH_NO_SKIP-} != 1 ]] || fail "$name" "$words"
            ;;
        *) fail "$name" "$words" ;;
    esac
}

sections=(build run installer test)
[[ $all == no ]] || sections+=(all)
stage packages
install_packages "${sections[@]}"
check format .ci/format.sh
stage configure
configure
rm -f "$SKIPPED" "$LABELS"
stage "build: programs"
build hearth hearth-cli
stage "build: tests"
build all
export LC_ALL=C.UTF-8

stage tests
if [[ $all == no ]]; then
    run_tests "tests" "$HEARTH_BUILD" --label-exclude slow
else
    HEARTH_ALL_ROWS=1 HEARTH_KILLS=${HEARTH_KILLS:-100} run_tests "all tests" "$HEARTH_BUILD"
    check clang-tidy .ci/lint.sh clang-tidy
    check qmllint .ci/lint.sh qmllint
    stage "build with clang"
    build_preset clang
    sanitized asan
    # The desktop's threads meet in Qt's event queue. Qt is not built with this sanitizer, so all that
    # passes through the queue would look like a race.
    sanitized tsan --tests-regex '^(engine|fuzz|app/cli)/'
    stage fuzzing
    build_preset fuzz
    # From the committed corpus on.
    run_tests "fuzzing" "$HEARTH_ROOT/build-fuzz" --tests-regex '^fuzz/' --verbose
    check "installer on other systems" tests/installer/roots.sh
    check "two builds of the installer" tests/installer/two_builds.sh
    check "the .deb on Debian 12 and 13" .ci/deb.sh
    check "Windows, under Wine" tests/installer/windows.sh
    check "Debian 13" .ci/debian13.sh
fi
say "All tests passed."
