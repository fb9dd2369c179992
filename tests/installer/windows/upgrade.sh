# shellcheck shell=bash
# Sourced by windows.sh, after installer.sh: an upgrade leaves the old or the new version, whatever ends it.

readonly PAYLOAD=$ROOT/build-windows/payload NEXT_PAYLOAD=$WORK/next-payload NEXT=$WORK/next.exe
readonly DROPPED=share/hearth/licences/libvulkan-volk-dev.txt ADDED=share/hearth/new/next.txt

# The next version: other bytes in the program and in the model, one file more and one less.
make_next() {
    [[ ! -e $NEXT ]] || return 0
    cp -R "$PAYLOAD" "$NEXT_PAYLOAD" && mkdir "$NEXT_PAYLOAD/share/hearth/new" && echo next >"$NEXT_PAYLOAD/$ADDED" && rm "$NEXT_PAYLOAD/$DROPPED" &&
        printf next >>"$NEXT_PAYLOAD/bin/hearth-cli.exe" && printf next >>"$NEXT_PAYLOAD/share/hearth/starter-model/$STARTER" &&
        "$ROOT/installer/windows/pack.sh" "$NEXT_PAYLOAD" 99 "$NEXT"
}

# files_of FOLDER: all but the uninstaller, with their sums
files_of() {
    (cd "$1" && find . -type f ! -name uninstall-hearth.exe -exec sha256sum {} + | LC_ALL=C sort -k 2)
}

# holds FOLDER PAYLOAD: its files, and mine.txt of a stranger's, and nothing else
holds() {
    [[ -s $1/uninstall-hearth.exe && ! -e $1/hearth-new ]] && diff <(files_of "$1" | grep -v ' ./bin/mine.txt$') <(files_of "$2") &&
        [[ $(<"$1/bin/mine.txt") == mine ]]
}

# answers FOLDER: the version that is there is a whole program with a whole model, says what Linux says, and the search path leads to it.
answers() {
    local unix=$1 payload whole=no
    for payload in "$PAYLOAD" "$NEXT_PAYLOAD"; do
        ! cmp -s "$unix/bin/hearth-cli.exe" "$payload/bin/hearth-cli.exe" || whole=$payload
    done
    [[ $whole != no ]] || { echo "hearth-cli.exe is of no version"; return 1; }
    within 60 "$unix/bin/hearth-cli.exe" run -p "What is rain?" -n 8 --temp 0 --dense -t 2 >windows.out 2>windows.err || { cat windows.err; return 1; }
    linux run -m "$STARTER" -p "What is rain?" -n 8 --temp 0 --dense -t 2 >linux.out && same "an answer" windows.out linux.out || return 1
    [[ $(value_of 'HKCU\Environment' Path) == *"\\${unix##*/}\\bin" ]] || { echo "PATH: $(value_of 'HKCU\Environment' Path)"; return 1; }
}

# fails_as_before FOLDER WHAT INSTALLER: refused, and every file and every key is as it was.
fails_as_before() {
    local unix=$1 status
    listing >before
    install_to "C:\\${unix##*/}" "$3"
    status=$?
    timeout 60 wineserver --wait
    listing >after
    ((status == 2)) || { echo "$2: status $status"; find "$unix"; return 1; }
    diff before after && answers "$unix" || { echo "$2: the old version is not as it was"; return 1; }
}

a_failed_upgrade_keeps_the_old_version() {
    local unix="$WINEPREFIX/drive_c/Failing" broken=$WORK/broken-payload pid status
    make_next || return 1
    rm -rf "$unix" "$broken"
    # A disk that has room for one version and a half.
    mkdir -p "$unix" && mount -t tmpfs -o size="$(($(du -sk "$PAYLOAD" | cut -f1) * 3 / 2))k" full "$unix" || return 1
    install_to 'C:\Failing' && printf mine >"$unix/bin/mine.txt" && fails_as_before "$unix" "a full disk" "$NEXT" || return 1
    timeout 60 wineserver --kill
    umount "$unix" || return 1

    install_to 'C:\Failing' && printf mine >"$unix/bin/mine.txt" || return 1
    # A folder, which has the name of a file of the new version; and a file, which has that of a folder.
    mkdir -p "$unix/$ADDED" && printf mine >"$unix/$ADDED/mine.txt" && fails_as_before "$unix" "a folder in the way" "$NEXT" || return 1
    rm -r "$unix/${ADDED%/*}" && printf mine >"$unix/${ADDED%/*}" && fails_as_before "$unix" "a file in the way" "$NEXT" || return 1
    rm "$unix/${ADDED%/*}"
    mkdir "$unix/share/hearth/files-older.txt" && fails_as_before "$unix" "no place for a list" "$NEXT" && rmdir "$unix/share/hearth/files-older.txt" || return 1
    # A program that does not start.
    cp -R "$NEXT_PAYLOAD" "$broken" && head -c 100000 "$PAYLOAD/bin/hearth-cli.exe" >"$broken/bin/hearth-cli.exe" &&
        "$ROOT/installer/windows/pack.sh" "$broken" 99 "$WORK/broken.exe" && fails_as_before "$unix" "a broken program" "$WORK/broken.exe" || return 1
    # One that runs.
    sleep 60 | wine "$unix/bin/hearth-cli.exe" run --chat -t 2 >/dev/null 2>&1 &
    pid=$!
    sleep 4
    install_to 'C:\Failing' "$NEXT"
    status=$?
    kill "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    ((status == 2)) && holds "$unix" "$PAYLOAD" || { echo "a running program: status $status"; return 1; }
    timeout 60 wineserver --wait
    # Then nothing is in the way, and then nothing is left. A list that somebody wrote names no file of others.
    printf mine >"$unix/../outside.txt"
    printf '..\\outside.txt\r\nC:\\outside.txt\r\nbin\\m*\r\nbin\\mine.tx?\r\n' >"$unix/share/hearth/files-older.txt"
    install_to 'C:\Failing' "$NEXT" && holds "$unix" "$NEXT_PAYLOAD" && answers "$unix" || return 1
    remove_from 'C:\Failing' && [[ $(cd "$unix" && find . -type f) == ./bin/mine.txt ]] || { echo "left:"; find "$unix"; return 1; }
    [[ $(<"$unix/../outside.txt") == mine ]] && rm "$unix/../outside.txt" && rm -rf "$unix"
}

a_killed_upgrade_leaves_a_version() {
    local unix="$WINEPREFIX/drive_c/Killed" beside="$WINEPREFIX/drive_c/Killed/hearth-new" moment path kills=0 old=0 new=0 status
    local moments=(
        "there files.txt"
        "1 bin/hearth-cli.exe"
        "2000000 bin/hearth-cli.exe"
        "1 share/hearth/starter-model/$STARTER"
        "20000000 share/hearth/starter-model/$STARTER"
        "there uninstall-hearth.exe"
        "there ../share/hearth/files-older.txt"
        "gone share/hearth/files.txt"
        "gone bin/hearth-cli.exe"
        "gone share/hearth/licences/hearth.txt"
        "gone share/hearth/starter-model/$STARTER"
        "gone uninstall-hearth.exe"
        "gone ../$DROPPED"
        "gone ../share/hearth/files-older.txt"
        "gone files.txt"
    )
    make_next || return 1
    rm -rf "$unix"
    forget_cache
    listing >before
    for moment in "${moments[@]}"; do
        path=${moment#* }
        install_to 'C:\Killed' && printf mine >"$unix/bin/mine.txt" && holds "$unix" "$PAYLOAD" || { echo "$moment: the old version cannot be installed"; return 1; }
        python3 "$ROOT/tests/installer/windows/kill_when.py" "${moment%% *}" "$beside/$path" -- wine "$NEXT" /S '/D=C:\Killed'
        status=$?
        ((status == 0)) && kills=$((kills + 1))
        answers "$unix" || { echo "killed at \"$moment\" ($status): no version answers"; find "$unix"; return 1; }
        if cmp -s "$unix/bin/hearth-cli.exe" "$PAYLOAD/bin/hearth-cli.exe"; then
            old=$((old + 1))
        else
            new=$((new + 1))
        fi
        # What can come then: the uninstaller, or the installer again.
        if (((old + new) % 2)); then
            install_to 'C:\Killed' "$NEXT" && holds "$unix" "$NEXT_PAYLOAD" && answers "$unix" || { echo "killed at \"$moment\": the next run does not complete it"; return 1; }
        fi
        remove_from 'C:\Killed' && [[ $(cd "$unix" && find . -type f) == ./bin/mine.txt && ! -e $beside ]] || { echo "killed at \"$moment\", then removed; left:"; find "$unix"; return 1; }
        rm -rf "$unix"
    done
    forget_cache
    listing >after
    echo "$kills of ${#moments[@]} killed: the old version $old times, the new one $new times"
    diff before after && ((kills >= 12 && old >= 4 && new >= 2))
}

two_installers_do_not_meet() {
    local unix="$WINEPREFIX/drive_c/Two" first second
    make_next || return 1
    rm -rf "$unix"
    install_to 'C:\Two' &
    first=$!
    for ((i = 0; i < 1000; ++i)); do
        [[ ! -e $unix/hearth-new ]] || break
        sleep 0.02
    done
    install_to 'C:\Two' "$NEXT"
    second=$?
    wait "$first"
    first=$?
    ((first == 0 && second == 2)) && printf mine >"$unix/bin/mine.txt" && holds "$unix" "$PAYLOAD" || { echo "status $first and $second"; return 1; }
    rm "$unix/bin/mine.txt"
    remove_from 'C:\Two' && [[ ! -e $unix ]]
}
