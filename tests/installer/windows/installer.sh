# shellcheck shell=bash
# Sourced by windows.sh: the installer installs one version and removes it.

readonly VERSION=$(sed -n 's/^project(hearth VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
readonly INSTALLER=$ROOT/dist/hearth-$VERSION-windows-x86_64.exe

# Everything on the drive but what Wine and Windows write for themselves, and the user's registry. An uninstaller runs
# from a copy in Temp, which Windows removes when it starts anew.
listing() {
    (cd "$WINEPREFIX/drive_c" && find . \( -path ./windows -o -path './users/*/Temp' \) -prune -o -type f -exec sha256sum {} + | LC_ALL=C sort -k 2)
    within 60 reg export HKCU "$(path_of "$PWD/hkcu.reg")" /y >/dev/null 2>&1
    # Wine keeps colours of windows there for as long as one of its programs runs.
    iconv -f UTF-16 -t UTF-8 hkcu.reg | tr -d '\r' | awk -v RS= -v ORS='\n\n' '$0 !~ /^\[HKEY_CURRENT_USER\\Software\\Wine[\\\]]/'
}
forget_cache() {
    find "$WINEPREFIX/drive_c/users" -path '*/AppData/Local/hearth*' -delete 2>/dev/null
}
# value_of KEY NAME: its type and text. From an export: what reg prints is not Unicode.
value_of() {
    local line hex
    rm -f value.reg
    within 60 reg export "$1" value.reg /y >/dev/null 2>&1
    line=$(iconv -f UTF-16 -t UTF-8 value.reg | tr -d '\r' | sed -e ':a' -e '/\\$/{N;s/\\\n *//;ta' -e '}' | sed -n "s/^\"$2\"=//p")
    case $line in
        \"*) line=${line#\"} line=${line%\"} && printf 'REG_SZ    %s' "${line//\\\\/\\}" ;;
        'hex(2):'*)
            hex=${line#*:}
            hex=${hex//,/}
            printf 'REG_EXPAND_SZ    %s' "$(printf '%b' "$(printf '%s' "${hex%0000}" | sed 's/../\\x&/g')" | iconv -f UTF-16LE -t UTF-8)"
            ;;
        *) printf '%s' "$line" ;;
    esac
}
# Through cmd, which passes /D= as it is written.
# install_to FOLDER [INSTALLER]
install_to() {
    within 120 cmd /c "$(path_of "${2:-$INSTALLER}") /S /D=$1"
}
# As Windows' settings do it: it copies itself away, and the copy removes everything.
remove_from() {
    within 120 "$1\\uninstall-hearth.exe" /S && timeout 120 wineserver --wait
}

it_installs_and_removes_itself() {
    local licence folder='C:\Hérth für Привет' unix="$WINEPREFIX/drive_c/Hérth für Привет" key='HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Hearth'
    # An entry of somebody else's, with a variable in it and a semicolon at the end.
    set_path REG_EXPAND_SZ '%USERPROFILE%\tools;' || return 1
    listing >before
    install_to "$folder" || { echo "installing: status $?"; return 1; }
    [[ $(value_of "$key" DisplayVersion) == "REG_SZ    $VERSION" ]] || { echo "Windows does not list it"; return 1; }
    [[ $(value_of 'HKCU\Environment' Path) == *"$folder\\bin" ]] || { echo "PATH: $(value_of 'HKCU\Environment' Path)"; return 1; }
    cmp "$unix/bin/hearth-cli.exe" "$CLI" || return 1
    for licence in hearth pcre2 utf8proc libuv1 http-parser libcli11-dev nlohmann-json3-dev libvulkan-dev libvulkan-volk-dev gcc-runtime mingw-w64-runtime; do
        [[ -s $unix/share/hearth/licences/$licence.txt ]] || { echo "no licence of $licence"; return 1; }
    done
    # Without -m: the starter model is found beside it, from another folder.
    within 60 "$unix/bin/hearth-cli.exe" run -p "What is rain?" -n 20 --temp 0 --dense -t 2 >windows.out || return 1
    linux run -m "$STARTER" -p "What is rain?" -n 20 --temp 0 --dense -t 2 >linux.out && same "an answer" windows.out linux.out || return 1
    # Over itself: one entry, and the same files.
    find "$unix" -type f -exec sha256sum {} + | sort >first
    install_to "$folder" || { echo "installing again: status $?"; return 1; }
    find "$unix" -type f -exec sha256sum {} + | sort | cmp - first || return 1
    [[ $(value_of 'HKCU\Environment' Path | grep -o 'Hérth' | wc -l) == 1 ]] || { echo "PATH twice"; return 1; }
    # A stranger's file survives.
    printf mine >"$unix/bin/mine.txt"
    remove_from "$folder" || { echo "removing: status $?"; return 1; }
    [[ $(cd "$unix" && find . -type f) == ./bin/mine.txt ]] || { echo "left:"; find "$unix"; return 1; }
    rm -rf "$unix"
    forget_cache
    listing >after
    diff before after && within 30 reg delete 'HKCU\Environment' /v Path /f >/dev/null
}

# Somebody's file stands where a folder of ours would be: nothing of ours is left, and nothing of theirs is lost.
what_cannot_be_written_is_taken_back() {
    local unix="$WINEPREFIX/drive_c/Taken" status
    rm -rf "$unix"
    mkdir -p "$unix/share" && printf mine >"$unix/share/hearth" || return 1
    listing >before
    install_to 'C:\Taken'
    status=$?
    timeout 60 wineserver --wait
    listing >after
    ((status == 2)) && diff before after && [[ $(find "$unix" -type f) == "$unix/share/hearth" ]] || { echo "status $status"; find "$unix"; return 1; }
    rm -rf "$unix"
}

running_programs_are_not_removed() {
    local folder='C:\Hearth' unix="$WINEPREFIX/drive_c/Hearth" pid status
    install_to "$folder" || return 1
    sleep 40 | wine "$unix/bin/hearth-cli.exe" run --chat -t 2 >/dev/null 2>&1 &
    pid=$!
    sleep 4
    within 60 "$folder\\uninstall-hearth.exe" /S "_?=$folder"
    status=$?
    kill "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    ((status == 2)) && [[ -e $unix/bin/hearth-cli.exe && -e $unix/share/hearth/starter-model/$STARTER ]] || { echo "status $status"; find "$unix"; return 1; }
    timeout 60 wineserver --wait
    remove_from "$folder" && [[ ! -e $unix ]]
}

# set_path TYPE VALUE
set_path() {
    within 60 reg add 'HKCU\Environment' /v Path /t "$1" /d "$2" /f >/dev/null
}
long_search_paths_stay_whole() {
    local path entry="$WORK/programs/path-entry.exe" long='C:\first' i
    for ((i = 0; i < 120; ++i)); do
        long+=";C:\\tools\\number-$i\\with a long name\\bin"
    done
    set_path REG_SZ "$long;%APPDATA%\\x;" || return 1
    within 30 "$entry" add 'C:\Ü\bin' || return 1
    [[ $(value_of 'HKCU\Environment' Path) == "REG_SZ    $long;%APPDATA%\\x;;C:\\Ü\\bin" ]] || { value_of 'HKCU\Environment' Path; return 1; }
    within 30 "$entry" add 'c:\ü\BIN\' && within 30 "$entry" remove 'C:\Ü\bin' || return 1
    [[ $(value_of 'HKCU\Environment' Path) == "REG_SZ    $long;%APPDATA%\\x;" ]] || { value_of 'HKCU\Environment' Path; return 1; }
    ! within 30 "$entry" add 'C:\a;b' && ! within 30 "$entry" add || return 1
    # Not in front, twice, or with others' empty entries gone: every path is back as it was.
    for path in 'C:\a' 'C:\a;' ';;C:\a;;C:\b;;' ';' ''; do
        set_path REG_EXPAND_SZ "$path" && within 30 "$entry" add 'C:\only' && [[ $(value_of 'HKCU\Environment' Path) == *';C:\only' ]] &&
            within 30 "$entry" remove 'C:\only' && [[ $(value_of 'HKCU\Environment' Path) == "REG_EXPAND_SZ    $path" ]] ||
            { echo "\"$path\" became \"$(value_of 'HKCU\Environment' Path)\""; return 1; }
    done
    # None before, none after; what is no text stays.
    within 30 reg delete 'HKCU\Environment' /v Path /f >/dev/null
    within 30 "$entry" add 'C:\only' && [[ $(value_of 'HKCU\Environment' Path) == 'REG_EXPAND_SZ    C:\only' ]] &&
        within 30 "$entry" remove 'C:\only' && [[ -z $(value_of 'HKCU\Environment' Path) ]] || { echo "an own entry alone"; return 1; }
    within 30 reg add 'HKCU\Environment' /v Path /t REG_DWORD /d 7 /f >/dev/null
    ! within 30 "$entry" add 'C:\only' && [[ $(value_of 'HKCU\Environment' Path) == dword:00000007 ]] || { echo "a number became a path"; return 1; }
    within 30 reg delete 'HKCU\Environment' /v Path /f >/dev/null
}

damaged_installers_write_nothing() {
    local unix="$WINEPREFIX/drive_c/Damaged"
    cp "$ROOT/dist/hearth-$VERSION-windows-x86_64.exe" whole.exe || return 1
    head -c 20000000 whole.exe >damaged.exe
    install_to 'C:\Damaged' "$PWD/damaged.exe" && { echo "cut short, and installed"; return 1; }
    [[ ! -e $unix ]] || return 1
    cp whole.exe damaged.exe
    printf '\125' | dd of=damaged.exe bs=1 seek=20000000 conv=notrunc status=none
    ! cmp -s whole.exe damaged.exe || return 1
    install_to 'C:\Damaged' "$PWD/damaged.exe" && { echo "a byte flipped, and installed"; return 1; }
    [[ ! -e $unix ]]
}

old_systems_are_refused() {
    local unix="$WINEPREFIX/drive_c/Old" status
    within 60 winecfg /v win7
    install_to 'C:\Old'
    status=$?
    within 60 winecfg /v win10
    [[ $status == 2 && ! -e $unix ]] || { echo "status $status"; return 1; }
}

two_builds_are_the_same_bytes() {
    local first
    first=$(sha256sum <"$INSTALLER")
    "$ROOT/installer/windows/package.sh" >/dev/null && [[ $(sha256sum <"$INSTALLER") == "$first" ]] || return 1
    # The header of a Windows program has a field for the time when it was made.
    python3 -c 'import struct, sys
for path in sys.argv[1:]:
    data = open(path, "rb").read()
    header = struct.unpack_from("<I", data, 0x3C)[0]
    made = struct.unpack_from("<I", data, header + 8)[0]
    if data[header : header + 4] != b"PE\0\0" or made != 0:
        sys.exit(f"{path} holds the time {made}")' "$ROOT/dist/hearth-cli.exe" "$ROOT/build-windows/payload/share/hearth/path-entry.exe" || return 1
    ! grep -aqF "$ROOT" "$ROOT/dist/hearth-cli.exe" || { echo "hearth-cli.exe names this folder"; return 1; }
}
