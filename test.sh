#!/usr/bin/env bash
# Sets up as run.sh does and runs the tests. Ends with the minutes each stage took and what was skipped.
#
#   ./test.sh                    what every change must pass: minutes. Of the large tables a sample that covers them.
#   ./test.sh --all              all rows, and the long ones: the stages below, in this order; some hours
#   ./test.sh --all --from NAME  goes on at this stage, after one was mended or the machine was wanted back
#
# The stages of --all:
#   tests          all tests with all rows, without those of a GPU; a hundred kills
#   gpu            all rows of the tests of a GPU
#   clang-tidy     what it says of the C++ files
#   clang          a build with clang
#   asan-build     the build with the address and undefined-behaviour sanitizers
#   asan-engine    the engine's tests under them
#   asan-gpu       those of a GPU
#   asan-app       those of the window, the command line and the installer
#   tsan           build and tests of the engine and the command line under the thread sanitizer
#   tsan-gpu       those of a GPU
#   fuzz           a million executions of each fuzz target
#   roots          the Linux installer on other systems
#   two-builds     two builds of the installers, compared
#   deb            the .deb on Debian 12 and 13
#   windows        hearth-cli for Windows, under Wine
#   debian13       ./test.sh in a Debian 13 root
#
# HEARTH_KILLS, HEARTH_FUZZ_RUNS and HEARTH_FUZZ_SECONDS say how many kills, and when a search ends.
# HEARTH_NO_SKIP=1 makes every skipped row a failure; without it tests/allowed_skips.txt decides.
set -u -o pipefail

cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" || exit 1

usage() {
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' test.sh
}
# As they are told above.
mapfile -t all_stages < <(usage | sed -n '/^The stages/,/^$/s/^  \([a-z0-9-]*\) .*/\1/p')

wrong_use() {
    printf 'test.sh: %s; ./test.sh --help lists what there is\n' "$1" >&2
    exit 2
}

all=no from=${all_stages[0]}
while (($# > 0)); do
    case $1 in
        --all) all=yes ;;
        --from)
            (($# > 1)) || wrong_use "--from needs the name of a stage: ${all_stages[*]}"
            from=$2
            # Not through a pipe: grep may end before printf has written all, and pipefail calls that an error.
            [[ $from != *" "* && " ${all_stages[*]} " == *" $from "* ]] ||
                wrong_use "no stage is called $from: ${all_stages[*]}"
            from_given=yes
            shift
            ;;
        -h | --help)
            usage
            exit 0
            ;;
        *) wrong_use "unknown option $1" ;;
    esac
    shift
done
[[ $all == yes || -z ${from_given-} ]] || wrong_use "--from goes with --all"

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

at=""  # what goes on where a stage of --all failed
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
    [[ -z $at ]] || say "This goes on from there: ./test.sh $at"
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

# check NAME SCRIPT ARGUMENT...: a script whose status 77 says why it could not be run.
check() {
    local name=$1 words status
    shift
    say "==> $name"
    if [[ $name == format ]]; then
        words=$("$@" 2>&1)
    else
        # Not tee /dev/stderr: that opens a file which may belong to the user before su.
        words=$("$@" 2>&1 | tee >(cat >&2))
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
stage format
check format .ci/format.sh
stage configure
configure
rm -f "$SKIPPED" "$LABELS"
stage "build: programs"
build hearth hearth-cli
stage "build: tests"
if [[ $all == no ]]; then build all; else build all hearth-bench; fi
stage qmllint
check qmllint .ci/lint.sh qmllint
export LC_ALL=C.UTF-8

if [[ $all == no ]]; then
    stage tests
    run_tests "tests" "$HEARTH_BUILD" --label-exclude slow
    say "All tests passed."
    exit
fi

# run_stage NAME
run_stage() {
    local asan=$HEARTH_ROOT/build-asan tsan=$HEARTH_ROOT/build-tsan
    case $1 in
        tests)
            HEARTH_ALL_ROWS=1 HEARTH_KILLS=${HEARTH_KILLS:-100} run_tests "all tests" "$HEARTH_BUILD" --label-exclude vulkan
            ;;
        gpu) HEARTH_ALL_ROWS=1 run_tests "all tests of a GPU" "$HEARTH_BUILD" --label-regex vulkan ;;
        clang-tidy) check clang-tidy .ci/lint.sh clang-tidy ;;
        clang) build_preset clang ;;
        asan-*) build_preset asan ;;&
        asan-engine) run_tests "$1" "$asan" --tests-regex '^(engine|fuzz)/' --label-exclude 'slow|vulkan' ;;
        asan-gpu) run_tests "$1" "$asan" --label-regex vulkan --label-exclude slow ;;
        asan-app) run_tests "$1" "$asan" --tests-regex '^(app|installer|bench|support)/' --label-exclude 'slow|vulkan' ;;
        # The desktop's threads meet in Qt's event queue. Qt is not built with this sanitizer, so all that
        # passes through the queue would look like a race.
        tsan | tsan-gpu) build_preset tsan ;;&
        tsan) run_tests "$1" "$tsan" --tests-regex '^(engine|fuzz|app/cli)/' --label-exclude 'slow|vulkan' ;;
        tsan-gpu) run_tests "$1" "$tsan" --tests-regex '^engine/' --label-regex vulkan --label-exclude slow ;;
        fuzz)
            build_preset fuzz
            # From the committed corpus on.
            run_tests "$1" "$HEARTH_ROOT/build-fuzz" --tests-regex '^fuzz/' --verbose
            ;;
        roots) check "$1" tests/installer/roots.sh ;;
        two-builds) check "$1" tests/installer/two_builds.sh ;;
        deb) check "$1" .ci/deb.sh ;;
        windows) check "$1" tests/installer/windows.sh ;;
        debian13) check "$1" .ci/debian13.sh ;;
    esac
}

begun=no
for name in "${all_stages[@]}"; do
    [[ $name != "$from" ]] || begun=yes
    if [[ $begun == no ]]; then
        not_run+=("$name: --from $from")
        continue
    fi
    stage "$name"
    at="--all --from $name"
    run_stage "$name"
done
at=""
say "All tests passed${from_given:+, from $from on}."
