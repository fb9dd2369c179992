#!/usr/bin/env bash
# hearth-cli for Windows, cross-built and run under Wine beside the one for Linux, and its installer:
# windows.sh [WORD], only the checks whose name holds the word. What has bits is compared bit by bit.
# Exit status: 0 all passed; 1 one failed; 77 where it cannot run, with the reason in the last line.
#
# Takes the Linux programs from build/, builds in build-windows/, and has a Wine of its own there, without a network.
set -u -o pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." || exit 1

readonly ROOT=$PWD WORK=$PWD/build-windows/under-wine ONLY=${1-}
readonly LINUX=$ROOT/build/bin/hearth-cli CLI=$WORK/programs/bin/hearth-cli.exe
readonly STARTER=hearth-starter-q4_0.gguf VECTORS=$ROOT/../shared/tokenizer-vectors
export WINEPREFIX=$ROOT/build-windows/wine WINEDEBUG=-all WINEDLLOVERRIDES="mscoree=;mshtml=;winemenubuilder.exe="
export LC_ALL=C.UTF-8 XDG_CACHE_HOME=$WORK/linux-cache
unset DISPLAY WAYLAND_DISPLAY

not_here() {
    echo "Not run under Wine: $*"
    exit 77
}
for tool in x86_64-w64-mingw32-g++-posix wine makensis dpkg-source python3; do
    command -v "$tool" >/dev/null || not_here "$tool is missing; third_party/packages.txt names its package"
done
[[ -x $LINUX ]] || not_here "the programs for Linux are not built in build/"

# ---- build, with the network; everything else in a namespace without one ---------------------------
if [[ -z ${HEARTH_WINE_INSIDE-} ]]; then
    # Tests take an older source package too, where the mirror lacks the newest.
    HEARTH_OLDER_SOURCES=1 installer/windows/build.sh || exit 1
    installer/windows/package.sh || exit 1
    namespace=(unshare --net --mount)  # a full disk is mounted
    ((EUID == 0)) || namespace=(unshare --user --map-root-user --net --mount)
    "${namespace[@]}" true 2>/dev/null || not_here "this system allows no network and mounts of its own"
    HEARTH_WINE_INSIDE=1 exec "${namespace[@]}" "${BASH_SOURCE[0]}" "$@"
fi

# ---- tools of the checks ---------------------------------------------------------------------------
failed=0 passed=0
# check NAME FUNCTION: the function's words are shown if it fails. They go to a file: a pipe would be open for as long as
# services of Wine that it started.
check() {
    [[ $1 == *"$ONLY"* ]] || return 0
    local began=$SECONDS
    if ("$2") >"$WORK/words" 2>&1; then
        passed=$((passed + 1))
        printf 'ok    %s (%d s)\n' "$1" $((SECONDS - began))
    else
        failed=$((failed + 1))
        printf 'FAIL  %s\n' "$1"
        tail -n 30 "$WORK/words"
    fi
}

# within SECONDS PROGRAM ARGUMENT...: a Windows program
within() {
    local seconds=$1
    shift
    timeout --kill-after=5 "$seconds" wine "$@"
}
windows() {
    within 300 "$CLI" "$@"
}
linux() {
    "$LINUX" "$@"
}

# same NAME FILE FILE
same() {
    cmp "$2" "$3" && return 0
    echo "$1: Windows and Linux differ"
    head -c 600 "$2"
    echo "-- Linux:"
    head -c 600 "$3"
    return 1
}

# both NAME ARGUMENT...: the same status, and the same bytes on standard output.
both() {
    local name=$1 windows_status linux_status
    shift
    windows "$@" <"${input:-/dev/null}" >windows.out 2>windows.err
    windows_status=$?
    sed -i 's/\r$//' windows.err  # lines end as the system ends them
    linux "$@" <"${input:-/dev/null}" >linux.out 2>linux.err
    linux_status=$?
    if ((windows_status != linux_status)); then
        echo "$name: status $windows_status, on Linux $linux_status"
        cat windows.err
        return 1
    fi
    same "$name" windows.out linux.out
}

# That of Windows for a path of Linux.
path_of() {
    local path=Z:$1
    printf '%s' "${path//\//\\}"
}

tables() {
    echo generic
    ! grep -qw avx2 /proc/cpuinfo || echo avx2
    ! grep -qw avx512_vnni /proc/cpuinfo || echo avx512
}

# ---- what is in the file ---------------------------------------------------------------------------
only_the_systems_libraries() {
    local found
    found=$(x86_64-w64-mingw32-objdump -p "$CLI" | sed -n 's/.*DLL Name: //p' |
        grep -viE '^(kernel32|advapi32|user32|shell32|ws2_32|iphlpapi|userenv|psapi|ole32|msvcrt|api-ms-win-core-synch-l1-2-0|dbghelp)\.dll$')
    [[ -z $found ]] || { echo "a bare Windows has no $found"; return 1; }
}

# GCC takes a stack for granted that is aligned to a vector, and Windows' is not (GCC bug 54412).
no_vector_move_wants_alignment() {
    local found
    found=$(x86_64-w64-mingw32-objdump -d --no-show-raw-insn "$ROOT/build-windows/bin/kernel_checks.exe" |
        grep -E 'vmov(aps|apd|dqa|dqa32|dqa64)[[:space:]].*(%[yz]mm[0-9]+.*\(|\(.*%[yz]mm[0-9]+)' | head -n 5)
    [[ -z $found ]] || { echo "$found"; return 1; }
}

# ---- arithmetic ------------------------------------------------------------------------------------
threads_wake_each_other() {
    for _ in 1 2 3; do
        within 300 "$ROOT/build-windows/bin/sleep_checks.exe" || return 1
    done
}

# checks_pass PROGRAM
checks_pass() {
    local words
    words=$(within 120 "$ROOT/build-windows/bin/$1.exe") && [[ $words == *"ok "* ]] || { echo "$words"; return 1; }
}
files_are_written_as_on_linux() {
    checks_pass test_engine_base_file_checks
}
children_get_their_pipe_alone() {
    checks_pass test_engine_base_child_checks
}
the_command_line_reads_and_writes() {
    checks_pass test_app_cli_plain_checks
}

kernels_agree() {
    local windows linux
    windows=$(within 900 "$ROOT/build-windows/bin/kernel_checks.exe" | tr -d '\r') || { echo "$windows"; return 1; }
    linux=$("$ROOT/build/bin/kernel_checks") || return 1
    [[ ${windows##*$'\n'} == "${linux##*$'\n'}" ]] || { echo "${windows##*$'\n'}, on Linux ${linux##*$'\n'}"; return 1; }
    echo "$windows"
}

readonly TOKENS=1,100,200,300,400,500,600,700,800,900,1000,1100,1200,1300,1400,1500,17,23
logits_have_the_same_bits() {
    local table
    for table in $(tables); do
        HEARTH_CPU=$table windows logits -m "$STARTER" --tokens "$TOKENS" --all -t 2 -o windows.logits &&
            HEARTH_CPU=$table linux logits -m "$STARTER" --tokens "$TOKENS" --all -t 2 -o linux.logits &&
            same "$table" windows.logits linux.logits || return 1
    done
}

# ---- commands --------------------------------------------------------------------------------------
files_are_described_alike() {
    both inspect inspect "$STARTER" --json && both "inspect, for people" inspect "$STARTER"
}

# VOCABULARY TEXT
tokens_of() {
    input=$2 both "$1: tokenize" tokenize -m "$1" || return 1
    cp linux.out ids
    input=ids both "$1: detokenize" detokenize -m "$1"
}
text_becomes_the_same_tokens() {
    local file
    tokens_of "$STARTER" "$ROOT/README.md" && tokens_of "$STARTER" "$ROOT/docs/testing.md" || return 1
    # What a stream of text would change, or end at.
    printf 'one\r\ntwo\n\032three\r\n' >bytes
    tokens_of "$STARTER" bytes || return 1
    for file in "$VECTORS"/*.gguf; do
        [[ -e $file ]] || continue
        cp "$file" . && tokens_of "${file##*/}" "$file.inp" || return 1
    done
}

packed_files_are_equal() {
    windows pack -m "$STARTER" -o windows.packed.gguf && linux pack -m "$STARTER" -o linux.packed.gguf &&
        same pack windows.packed.gguf linux.packed.gguf
}

quantized_files_are_equal() {
    windows quantize -m "$STARTER" --type Q8_0 -o windows.q8.gguf && linux quantize -m "$STARTER" --type Q8_0 -o linux.q8.gguf &&
        same quantize windows.q8.gguf linux.q8.gguf
}

answers_are_the_same() {
    both "one answer" run -m "$STARTER" -p "What is rain?" -n 40 --temp 0 --dense -t 2 || return 1
    [[ -s linux.out ]] || { echo "no answer"; return 1; }
    grep -Eq 'answer [1-9][0-9]* tokens at' windows.err || { echo "a count is not written:"; cat windows.err; return 1; }
    # As cmd's echo writes it; and no question at all, since the null device is no console.
    printf 'What is rain?\r\n' >question
    cp windows.out answer
    input=question both "a question in a pipe" run -m "$STARTER" -n 40 --temp 0 --dense -t 2 && same "a question in a pipe" windows.out answer || return 1
    both "no question" run -m "$STARTER" && same "no question" windows.err linux.err || return 1
    printf 'Hello.\nWhat is snow?\n/quit\n' >messages
    input=messages both "a chat" run -m "$STARTER" --chat -n 30 --temp 0 --dense -t 2
}

# at_a_console LINE... -- ARGUMENT...: typed there; standard output in windows.out, the screen's text in screen.
at_a_console() {
    local lines=()
    while [[ $1 != -- ]]; do
        lines+=("$1")
        shift
    done
    shift
    python3 "$ROOT/tests/installer/windows_console.py" screen "${lines[@]}" -- wine "$CLI" "$@" >windows.out
}
a_chat_at_a_console() {
    local lines=('Grüße, Привет, 漢字 🔥' 'What is snow?' /new 'Über' /quit) chat=(run -m "$STARTER" --chat -n 12 --temp 0 --dense -t 2)
    at_a_console "${lines[@]}" -- "${chat[@]}" || { echo "status $?"; cat screen; return 1; }
    printf '%s\n' "${lines[@]}" | linux "${chat[@]}" >linux.out && same "a chat at a console" windows.out linux.out || return 1
    [[ $(wc -l <linux.out) -ge 3 ]] && grep -q 'Type a message' screen && grep -Eq '\[[1-9][0-9]* tokens' screen || { cat screen; return 1; }
    # A letter of several bytes is shown, and not its bytes.
    at_a_console -- inspect 'нет-ü漢.gguf' && return 1
    grep -q 'нет-ü漢.gguf' screen || { cat screen; return 1; }
    # Ctrl+C at the prompt is no end of input.
    at_a_console ^C -- "${chat[@]}"
    local status=$?
    ((status == 130)) || { echo "Ctrl+C: status $status"; cat screen; return 1; }
}

two_hundred_runs_end() {
    local i
    linux run -m "$STARTER" -p "Hello" -n 8 --temp 0 --dense -t 2 >linux.out || return 1
    for ((i = 1; i <= ${HEARTH_WINE_RUNS:-200}; ++i)); do
        within 60 "$CLI" run -m "$STARTER" -p "Hello" -n 8 --temp 0 --dense -t 2 >windows.out 2>windows.err || {
            echo "run $i: status $? (124: it hung)"
            cat windows.err
            return 1
        }
        same "run $i" windows.out linux.out || return 1
    done
}

# The packed model has its neurons row by row: what does not fit is read for each token.
weights_come_from_disk() {
    [[ -e linux.packed.gguf ]] || linux pack -m "$STARTER" -o linux.packed.gguf || return 1
    windows bench -m linux.packed.gguf --ram "$SMALL_BUDGET" --ctx 256 -p 16 -n 8 -r 1 -t 2 --json >bench.json || return 1
    python3 -c 'import json, sys
report = json.load(open("bench.json"))
sys.exit(not (report["flash"]["read_bytes"] > 0 and 0 < report["memory"]["ledger_bytes"] <= 36 << 20))' ||
        { echo "nothing was read, or the budget was not kept:"; cat bench.json; return 1; }
    windows logits -m linux.packed.gguf --ram "$SMALL_BUDGET" --ctx 256 --tokens "$TOKENS" --all -t 2 -o windows.logits &&
        linux logits -m linux.packed.gguf --ctx 256 --tokens "$TOKENS" --all -t 2 -o linux.logits &&
        same "logits inside $SMALL_BUDGET" windows.logits linux.logits
}
readonly SMALL_BUDGET=36M

# ---- what goes wrong -------------------------------------------------------------------------------
# refused NAME ARGUMENT...: status 1, nothing on standard output, Linux' sentence.
refused() {
    both "$@" || return 1
    local name=$1
    same "$name: the sentence" windows.err linux.err || return 1
    [[ $(wc -l <linux.err) == 1 ]] || { echo "$name: not one sentence"; cat linux.err; return 1; }
}
broken_files_are_named() {
    local file cut
    : >empty.gguf
    printf '%300s' | tr ' ' x >text.gguf
    for cut in 3 8 24 200 100000 38000000; do
        head -c "$cut" "$STARTER" >"cut$cut.gguf"
    done
    cp "$STARTER" version.gguf && printf '\143' | dd of=version.gguf bs=1 seek=4 conv=notrunc status=none
    cp "$STARTER" counts.gguf && printf '\377\377\377\377\377\377\377\017' | dd of=counts.gguf bs=1 seek=8 conv=notrunc status=none
    cp "$STARTER" keys.gguf && printf '\377\377\377\377\377\377\377\017' | dd of=keys.gguf bs=1 seek=16 conv=notrunc status=none
    truncate -s 1G zeros.gguf
    for file in empty.gguf text.gguf cut*.gguf version.gguf counts.gguf keys.gguf zeros.gguf absent.gguf; do
        refused "inspect $file" inspect "$file" && refused "run $file" run -m "$file" -p Hello &&
            refused "pack $file" pack -m "$file" -o out.gguf || return 1
        [[ ! -e out.gguf ]] || { echo "pack $file left a file"; return 1; }
    done
    mkdir -p folder.gguf && refused "a folder" inspect folder.gguf && refused "a folder that is not there" inspect no/x.gguf
    rm -f zeros.gguf
}

# killed PARTIAL BYTES ARGUMENT...: started, and killed once so many bytes are there. 1: it was done before.
killed() {
    local partial=$1 bytes=$2 pid
    shift 2
    wine "$CLI" "$@" >/dev/null 2>&1 &
    pid=$!
    while kill -0 "$pid" 2>/dev/null && (($(stat -c %s "$partial" 2>/dev/null || echo 0) < bytes)); do
        sleep 0.002
    done
    kill -KILL "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    [[ $? == 137 ]]
}
a_killed_write_leaves_no_half_file() {
    local bytes kills=0
    [[ -e linux.packed.gguf ]] || linux pack -m "$STARTER" -o linux.packed.gguf || return 1
    for bytes in 1 1000000 5000000 12000000 20000000 30000000; do
        rm -f killed.gguf*
        killed killed.gguf.partial "$bytes" pack -m "$STARTER" -o killed.gguf --checkpoint 1M && kills=$((kills + 1))
        if [[ -e killed.gguf ]] && ! cmp -s killed.gguf linux.packed.gguf; then
            echo "killed at $bytes bytes: half a file has the name"
            return 1
        fi
        windows pack -m "$STARTER" -o killed.gguf --checkpoint 1M >/dev/null && same "packed after a kill at $bytes" killed.gguf linux.packed.gguf || return 1
        [[ ! -e killed.gguf.partial ]] || { echo "what was half written is still there"; return 1; }
    done
    ((kills >= 3)) || { echo "only $kills runs could be killed in time"; return 1; }
    # An old file stays until the new one is whole.
    printf old >killed.gguf
    killed killed.gguf.partial 1000000 pack -m "$STARTER" -o killed.gguf --checkpoint 1M
    [[ $(head -c 3 killed.gguf) == old ]] || cmp -s killed.gguf linux.packed.gguf || { echo "the old file is broken"; return 1; }
}

# ---- names of people and their languages -------------------------------------------------------------
folders_have_any_name() {
    local folder='Bücher und Привет мир 漢字' model
    model="$folder/модель ü.gguf"
    rm -rf "$folder"
    mkdir -p "$folder" && cp "$STARTER" "$model" || return 1
    both "inspect" inspect "$model" --json && both "run" run -m "$model" -p "Hello" -n 8 --temp 0 --dense -t 2 || return 1
    windows pack -m "$model" -o "$folder/größer.gguf" >/dev/null && [[ -s $folder/größer.gguf ]] || { echo "pack wrote no file there"; ls "$folder"; return 1; }
    windows logits -m "$folder\\модель ü.gguf" --tokens 1,2,3 -o "$folder/логиты" && [[ -s $folder/логиты ]] || return 1
    windows logits -m "$(path_of "$PWD/$model")" --tokens 1,2,3 -o "$(path_of "$PWD/$folder/zweite")" && cmp "$folder/логиты" "$folder/zweite" || return 1
    refused "a name that is not there" inspect "$folder/нет.gguf" || return 1
    printf 'Grüße, Привет, 漢字\n' >text
    input=text both "text" tokenize -m "$model" --json
}

# Longer than the 260 characters that programs without a word about it get.
long_paths_work() {
    local folder=deep i
    rm -rf deep
    for i in 1 2 3 4 5 6; do
        folder+="/a folder with a name of about fifty characters, $i"
    done
    mkdir -p "$folder" && cp "$STARTER" "$folder/model.gguf" || return 1
    both inspect inspect "$folder/model.gguf" --json && windows logits -m "$folder/model.gguf" --tokens 1,2,3 -o "$folder/logits" && [[ -s $folder/logits ]] || return 1
    # Wine has no such limit: that Windows is told is seen in the file.
    grep -aq '<longPathAware[^>]*>true' "$CLI" && grep -aq '<activeCodePage[^>]*>UTF-8' "$CLI"
}

the_cache_is_the_users() {
    local folder="$WINEPREFIX/drive_c/Кэш-ü"
    rm -rf "$folder"
    mkdir -p "$folder"
    # What the answer's neurons did is kept there.
    within 60 cmd /c "set LOCALAPPDATA=C:\\Кэш-ü&& $(path_of "$CLI") run -m $STARTER -p Hello -n 8 -t 2" || return 1
    [[ -n $(find "$folder/hearth/profiles" -type f) ]] || { echo "nothing in %LOCALAPPDATA%"; find "$folder"; return 1; }
}

# ---- the installer ---------------------------------------------------------------------------------
source "$ROOT/tests/installer/windows/installer.sh"
source "$ROOT/tests/installer/windows/upgrade.sh"

# ---- the checks ------------------------------------------------------------------------------------
if [[ ! -e $WINEPREFIX/made ]]; then
    rm -rf "$WINEPREFIX"
    # The last is a key that every Windows has.
    wineboot --init >/dev/null 2>&1 && within 60 winecfg /v win10 &&
        within 60 reg add 'HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall' /f >/dev/null || not_here "Wine makes no drive C:"
    wineserver --wait
    : >"$WINEPREFIX/made"
fi
rm -rf "$WORK"
mkdir -p "$WORK/programs/bin" "$WORK/files" && cp dist/hearth-cli.exe "$WORK/programs/bin/" &&
    cp "$PAYLOAD/share/hearth/path-entry.exe" "$WORK/programs/" &&
    cp "resources/starter-model/$STARTER" "$WORK/files/" && cd "$WORK/files" || exit 1
trap 'wineserver --kill 2>/dev/null' EXIT

check "a bare Windows has all libraries" only_the_systems_libraries
check "no vector move wants an aligned stack" no_vector_move_wants_alignment
check "threads wake each other" threads_wake_each_other
check "files are written" files_are_written_as_on_linux
check "a child process" children_get_their_pipe_alone
check "the command line's files, and typed text" the_command_line_reads_and_writes
check "kernels agree" kernels_agree
check "inspect" files_are_described_alike
compgen -G "$VECTORS/*.gguf" >/dev/null || printf "note  the starter's vocabulary alone: ../shared/tokenizer-vectors is not here\n"
check "tokenize and detokenize" text_becomes_the_same_tokens
check "logits" logits_have_the_same_bits
check "pack" packed_files_are_equal
check "quantize" quantized_files_are_equal
check "chat" answers_are_the_same
check "a chat at a console" a_chat_at_a_console
check "weights from disk inside a budget" weights_come_from_disk
check "broken files" broken_files_are_named
check "a write killed halfway" a_killed_write_leaves_no_half_file
check "folders with umlauts and Cyrillic" folders_have_any_name
check "long paths" long_paths_work
check "the cache in the user's folder" the_cache_is_the_users
check "200 runs with two threads" two_hundred_runs_end
check "installer: installs and removes itself" it_installs_and_removes_itself
check "installer: a running program stays" running_programs_are_not_removed
check "installer: long search paths" long_search_paths_stay_whole
check "installer: what cannot be written" what_cannot_be_written_is_taken_back
check "installer: an upgrade that fails" a_failed_upgrade_keeps_the_old_version
check "installer: a killed upgrade" a_killed_upgrade_leaves_a_version
check "installer: two at once" two_installers_do_not_meet
check "installer: damaged" damaged_installers_write_nothing
check "installer: Windows 7" old_systems_are_refused
check "installer: two builds, one hash" two_builds_are_the_same_bytes
printf '%d checks under Wine passed, %d failed\n' "$passed" "$failed"
((failed == 0 && passed > 0))
