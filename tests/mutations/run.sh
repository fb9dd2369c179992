#!/usr/bin/env bash
# Plants the bugs of mutations.txt one at a time in a copy of the tree and says which the tests catch.
#
#   tests/mutations/run.sh TREE [NAME...]
#   tests/mutations/run.sh --check
#
# TREE is a clone of the project made for this, without changes of its own: files in it are edited and
# restored. It is configured where it is not yet. With names only the bugs of these names are planted.
# First the tests named by the rows have to pass as they are.
#
# --check plants nothing: it says of which rows the text is not in this tree, once (tidy/mutations).
#
# One line a bug: caught, survived, or invalid (its text is not there once, it does not compile, it names no
# test), then the test that failed and its words. A test that runs into its time limit has caught the bug.
# The lines also go to TREE/build/mutations.tsv. Exit status 0 if all were caught.
#
# Environment: HEARTH_MUTATIONS (another list), HEARTH_TEST_SECONDS (limit of one test, 300),
# HEARTH_BUILD_SECONDS (of one build, 1800), HEARTH_JOBS (2), HEARTH_NO_BASELINE=1 (skip the first run).
set -u -o pipefail

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
list=${HEARTH_MUTATIONS:-$here/mutations.txt}
test_seconds=${HEARTH_TEST_SECONDS:-300}
build_seconds=${HEARTH_BUILD_SECONDS:-1800}
jobs=${HEARTH_JOBS:-2}

stop() {
    printf 'mutations: %s\n' "$*" >&2
    exit 2
}

(($# > 0)) || { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2; exit 2; }
[[ -r $list ]] || stop "$list cannot be read"
check=no
if [[ $1 == --check ]]; then
    (($# == 1)) || stop "--check takes no more"
    check=yes
    set -- "$here/../.."
fi
tree=$(readlink -f "$1") && [[ -f $tree/CMakeLists.txt ]] || stop "$1 is not a tree of the project"
shift
wanted=("$@")
if [[ $check == no ]]; then
    [[ $tree != "$(readlink -f "$here/../..")" ]] || stop "$tree is the tree this script is in; give it a clone"
    [[ -z $(git -C "$tree" status --porcelain) ]] || stop "$tree has changes of its own (git status lists them)"
fi
build=$tree/build

# ---- the list ------------------------------------------------------------------------------------
names=() files=() froms=() tos=() builds=() tests=()
number=0
while IFS= read -r line || [[ -n $line ]]; do
    number=$((number + 1))
    last=$((${#names[@]} - 1))
    case $line in
        "" | "#"*) continue ;;
        "== "*)
            names+=("${line#== }") files+=("") froms+=("") tos+=("") builds+=("") tests+=("")
            has_from=no has_to=no
            continue
            ;;
    esac
    ((last >= 0)) || stop "$list:$number: the first row has no name"
    case $line in
        "file: "*) files[last]=${line#file: } ;;
        "build: "*) builds[last]=${line#build: } ;;
        "test: "*) tests[last]=${line#test: } ;;
        "from: "*)
            [[ $has_from == no ]] || froms[last]+=$'\n'
            froms[last]+=${line#from: } has_from=yes
            ;;
        "to: "* | "to:")
            [[ $has_to == no ]] || tos[last]+=$'\n'
            line=${line#to:}
            tos[last]+=${line# } has_to=yes
            ;;
        *) stop "$list:$number: \"$line\" is none of ==, file:, from:, to:, build:, test:" ;;
    esac
done <"$list"
for i in "${!names[@]}"; do
    [[ -n ${files[i]} && -n ${froms[i]} && -n ${builds[i]} && -n ${tests[i]} ]] ||
        stop "$list: the row \"${names[i]}\" lacks file, from, build or test"
done
chosen=()
for i in "${!names[@]}"; do
    if ((${#wanted[@]} == 0)); then
        chosen+=("$i")
    else
        for name in "${wanted[@]}"; do
            [[ ${names[i]} != "$name" ]] || chosen+=("$i")
        done
    fi
done
((${#chosen[@]} > 0)) || stop "no row has such a name"

# what_is_wrong INDEX: prints why the row cannot be planted; else leaves what stands before the row's text in
# `head` and what follows it in `rest`.
what_is_wrong() {
    local path=$tree/${files[$1]} text
    [[ -f $path ]] || { echo "there is no ${files[$1]}"; return 1; }
    IFS= read -r -d '' text <"$path"
    # Bash takes a thousand times as long to cut off a beginning by a pattern.
    head=${text%%"${froms[$1]}"*}
    rest=${text:${#head}+${#froms[$1]}}
    [[ $head != "$text" ]] || { echo "the text is not in ${files[$1]}"; return 1; }
    [[ $rest != *"${froms[$1]}"* ]] || { echo "the text is in ${files[$1]} more than once"; return 1; }
    [[ ${froms[$1]} != "${tos[$1]}" ]] || { echo "nothing is changed"; return 1; }
}

if [[ $check == yes ]]; then
    stale=0
    for i in "${chosen[@]}"; do
        what_is_wrong "$i" >/dev/null && continue
        printf '"%s": %s\n' "${names[i]}" "$(what_is_wrong "$i")"
        stale=$((stale + 1))
    done
    printf '%d passed, %d failed\n' $((${#chosen[@]} - stale)) "$stale"
    exit $((stale > 0))
fi

# ---- restoring -----------------------------------------------------------------------------------
scratch=$(mktemp -d) || exit 2
planted=""
restore() {
    [[ -z $planted ]] && return
    # Written anew, not moved: its time must be newer than what was built from the bug.
    cat "$scratch/original" >"$planted" || printf 'mutations: %s was NOT restored\n' "$planted" >&2
    planted=""
}
child=""
finish() {
    local status=$?
    trap - EXIT INT TERM HUP
    [[ -z $child ]] || kill -TERM -- "-$child" 2>/dev/null
    restore
    rm -rf "$scratch"
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# limited SECONDS COMMAND...: in a process group of its own, so that an interrupt ends all of it. The output
# goes to $scratch/log. 124 where the time ran out.
limited() {
    local seconds=$1 status
    shift
    setsid timeout --kill-after=20 "$seconds" "$@" >"$scratch/log" 2>&1 </dev/null &
    child=$!
    wait "$child"
    status=$?
    child=""
    return "$status"
}

# $1: an expression of ctest's names, or "gpu_checks " and a part of the names of its checks.
run_tests() {
    if [[ $1 == "gpu_checks "* ]]; then
        HEARTH_VULKAN_VALIDATION=on limited "$test_seconds" \
            "$build/bin/gpu_checks" --sample "${1#gpu_checks }"
        return
    fi
    # ctest ends a test at its limit and counts it as failed. The first failure decides.
    limited $((4 * test_seconds)) ctest --test-dir "$build" --output-on-failure --no-tests=error \
        --stop-on-failure --timeout "$test_seconds" -R "$1"
}

tests_named() {
    [[ $1 != "gpu_checks "* ]] || { echo 1; return; }
    ctest --test-dir "$build" -N -R "$1" 2>/dev/null | sed -n 's/^Total Tests: //p'
}

# ---- as it is ------------------------------------------------------------------------------------
if [[ ! -f $build/build.ninja ]]; then
    limited "$build_seconds" cmake -S "$tree" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release ||
        { cat "$scratch/log" >&2; stop "the tree cannot be configured"; }
fi
if [[ ${HEARTH_NO_BASELINE-} != 1 ]]; then
    targets=() patterns="" parts=()
    for i in "${chosen[@]}"; do
        read -r -a more <<<"${builds[i]}"
        targets+=("${more[@]}")
        if [[ ${tests[i]} == "gpu_checks "* ]]; then
            parts+=("${tests[i]}")
            continue
        fi
        # Each once: ctest bounds the parentheses of an expression.
        [[ "|$patterns|" == *"|${tests[i]}|"* ]] || patterns+=${patterns:+|}${tests[i]}
    done
    limited "$build_seconds" cmake --build "$build" --parallel "$jobs" --target "${targets[@]}" ||
        { tail -n 40 "$scratch/log" >&2; stop "the tree does not build as it is"; }
    for test in ${patterns:+"$patterns"} "${parts[@]}"; do
        run_tests "$test" ||
            { tail -n 60 "$scratch/log" >&2; stop "tests fail before anything is planted"; }
    done
fi

# ---- one bug after another -----------------------------------------------------------------------
# plant INDEX: prints why not, where it cannot.
plant() {
    local path=$tree/${files[$1]}
    what_is_wrong "$1" || return 1
    cp -- "$path" "$scratch/original" || { echo "no copy could be kept"; return 1; }
    planted=$path
    printf '%s' "$head${tos[$1]}$rest" >"$path" || { echo "it cannot be written"; return 1; }
}

# The first words of a failed test.
words_of_failure() {
    local words
    words=$(grep -m1 -E '^FAIL|: FAIL|Assertion|ERROR: ' "$scratch/log")
    [[ -n $words ]] || words=$(grep -m1 -E '\*\*\*(Failed|Timeout|Exception)' "$scratch/log")
    words=${words//$'\t'/ }
    printf '%s' "${words:0:200}"
}

results=$build/mutations.tsv
: >"$results" || exit 2
caught=0 survived=0 invalid=0
for i in "${chosen[@]}"; do
    began=$SECONDS
    outcome=invalid words=""
    # Not in a subshell: `planted` has to be known here.
    plant "$i" >"$scratch/why"
    if (($? != 0)); then
        words=$(<"$scratch/why")
    else
        read -r -a targets <<<"${builds[i]}"
        if ! limited "$build_seconds" cmake --build "$build" --parallel "$jobs" --target "${targets[@]}"; then
            words="does not build: $(grep -m1 -E 'error:|undefined reference' "$scratch/log")"
        elif [[ $(tests_named "${tests[i]}") == 0 ]]; then
            words="${tests[i]} names no test"
        elif run_tests "${tests[i]}"; then
            outcome=survived
        elif grep -q "^no check's name contains" "$scratch/log"; then
            words="${tests[i]} names no check"
        elif grep -q '\*\*\*Not Run' "$scratch/log"; then
            words="not built: $(grep -m1 -F '***Not Run' "$scratch/log")"
        else
            outcome=caught words=$(words_of_failure)
        fi
    fi
    restore
    case $outcome in
        caught) caught=$((caught + 1)) ;;
        survived) survived=$((survived + 1)) ;;
        *) invalid=$((invalid + 1)) ;;
    esac
    printf '%s\t%s\t%s\t%s\t%s\n' "$outcome" "${names[i]}" "${files[i]}" "${tests[i]}" "$words" >>"$results"
    printf '%-8s %s (%s, %d s)%s\n' "$outcome" "${names[i]}" "${files[i]}" $((SECONDS - began)) "${words:+: $words}"
done
# What was built from the last bug must not stay behind for the tests of whoever comes next.
read -r -a targets <<<"${builds[${chosen[-1]}]}"
limited "$build_seconds" cmake --build "$build" --parallel "$jobs" --target "${targets[@]}" ||
    stop "the restored tree does not build"
printf '%d caught, %d survived, %d invalid\n' "$caught" "$survived" "$invalid"
((survived == 0 && invalid == 0))
