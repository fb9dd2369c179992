# The installer's steps. After common.sh and remove.sh. Variables that pack.py writes before: VERSION,
# unpacked_kb, need_glibc ("2.35"), need_cxx ("GLIBCXX_3.4.30"), shared_files (names below share/, one a line, that go into the
# desktop's folders; all else stays in the version's own).

folders_made=''   # by this run, one a line
files_made=''     # PATH.hearth-new, one a line
version_made=''
stage=''
progress=''
previous=''
switched=no

usage() {
    printf '%s\n' \
        "Installs Hearth $VERSION. Nothing is fetched from the network, and nothing but these folders is touched." \
        "" \
        "  sh $0                  for you alone, below ~/.local; no root needed" \
        "  sh $0 --system         for all users, below /usr/local; as root" \
        "  sh $0 --prefix DIR     below DIR" \
        "  sh $0 --check          says whether this file is whole and this system will do; changes nothing" \
        "  sh $0 --uninstall      removes Hearth; conversations and settings stay" \
        "  sh $0 --uninstall --purge  removes these too" \
        "  --text                 no windows, even where there is a display" \
        "" \
        "A second version lies beside the first, and the one installed last is the one that runs."
}

# ---- the host ------------------------------------------------------------------------------------

# Whether version $1 is at least $2: numbers with dots.
at_least() {
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -t. -k1,1n -k2,2n -k3,3n | head -n 1)" = "$2" ]
}

check_host() {
    machine=$(uname -m)
    [ "$(uname -s)" = Linux ] && [ "$machine" = x86_64 ] ||
        fail "this installer is for Linux on x86-64; this is $(uname -s) on $machine. Nothing was changed."
    glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null)
    case $glibc in
        "glibc "*) glibc=${glibc#glibc } ;;
        *) fail "this system's C library is not the GNU one (glibc), which Hearth needs: musl and others will not do. Nothing was changed." ;;
    esac
    at_least "$glibc" "$need_glibc" ||
        fail "this system is too old for Hearth: its C library is glibc $glibc, and glibc $need_glibc is needed (Debian 12, Ubuntu 22.04, Fedora 37 or newer). Nothing was changed."
    cxx=''
    for ldconfig in ldconfig /sbin/ldconfig /usr/sbin/ldconfig; do
        command -v "$ldconfig" >/dev/null || continue
        cxx=$("$ldconfig" -p 2>/dev/null | sed -n 's/^.*libstdc++\.so\.6 (libc6,x86-64.*=> //p' | head -n 1)
        break
    done
    [ -n "$cxx" ] || for folder in /usr/lib/x86_64-linux-gnu /usr/lib64 /lib64 /usr/lib; do
        [ -z "$cxx" ] && [ -f "$folder/libstdc++.so.6" ] && cxx=$folder/libstdc++.so.6
    done
    [ -n "$cxx" ] ||
        fail "this system has no C++ runtime (libstdc++.so.6); install its package (libstdc++6, libstdc++) and start again. Nothing was changed."
    grep -qaF "$need_cxx" "$cxx" ||
        fail "this system's C++ runtime ($cxx) is too old for Hearth: it lacks $need_cxx, that is GCC 12. Nothing was changed."
}

# The nearest folder above a path that exists.
existing() {
    above=$1
    while [ ! -e "$above" ] && [ ! -L "$above" ]; do
        above=${above%/*}
        [ -n "$above" ] || above=/
    done
    printf '%s\n' "$above"
}

# Whether the file system of a folder does not let programs run, as far as the system says; try_programs sees it in any case.
no_programs() {
    [ -r /proc/mounts ] || return 1
    mounted=$(df -Pk "$1" 2>/dev/null | sed -n '2s/^.* [0-9][0-9]*% //p' | sed 's/ /\\040/g')
    mount_options=''
    while read -r device point kind options rest; do
        [ "$point" != "$mounted" ] || mount_options=$options
    done </proc/mounts
    case ,$mount_options, in
        *,noexec,*) return 0 ;;
    esac
    return 1
}

check_target() {
    set -- "$root" "$prefix/bin" "$share"
    for file in $shared_files; do
        set -- "$@" "$share/${file%/*}"
    done
    for folder in "$@"; do
        above=$(existing "$folder")
        [ "$folder" != "$root" ] || [ "$above" != "$root" ] || [ -O "$root" ] ||
            fail "Hearth in $prefix belongs to another user; install as that user. Nothing was changed."
        [ -d "$above" ] || fail "$above is not a folder, so nothing can be put into $folder. Nothing was changed."
        # Root may write what it has no right to, but not on a read-only file system; [ -w ] knows both.
        [ -w "$above" ] && [ -x "$above" ] || fail "there is no right to write in $above. Nothing was changed."
    done
    ! no_programs "$(existing "$root")" ||
        fail "the file system of $(existing "$root") does not let programs run (noexec); --prefix DIR installs elsewhere. Nothing was changed."
    free_kb=$(df -Pk "$(existing "$root")" 2>/dev/null | sed -n '2s/^.* [0-9][0-9]*  *[0-9][0-9]*  *\([0-9][0-9]*\)  *[0-9][0-9]*% .*$/\1/p')
    case $free_kb in
        '' | *[!0-9]*) ;; # a file system that does not say; a full one shows while it is written
        *)
            [ "$free_kb" -ge $((unpacked_kb + 2048)) ] ||
                fail "$(existing "$root") has $((free_kb / 1024)) MB free, and Hearth needs $((unpacked_kb / 1024 + 2)) MB. Nothing was changed."
            ;;
    esac
}

# Whether `placed` has a line of this KIND and PATH; with a VALUE, exactly this line.
placed_has() {
    [ -f "$root/placed" ] || return 1
    # Names of its own: those of a function are its caller's too.
    while IFS=$tab read -r placed_kind placed_value placed_path; do
        [ "$placed_kind" = "$1" ] && [ "$placed_path" = "$2" ] && [ "${3-"$placed_value"}" = "$placed_value" ] && return 0
    done <"$root/placed"
    return 1
}

refuse_foreign() {
    fail "$1 is there already and does not come from this installer; move it away and start again. Nothing was changed."
}

links='hearth hearth-cli hearth-uninstall'
# target_of LINK [from anywhere]: relative, which holds under every name of the prefix; absolute where `bin` is a link to another place.
target_of() {
    target_root=../lib/hearth
    [ $# -eq 1 ] && [ "$prefix/bin/$target_root" -ef "$root" ] || target_root=$real_root
    case $1 in
        hearth-uninstall) printf '%s/uninstall\n' "$target_root" ;;
        *) printf '%s/current/bin/%s\n' "$target_root" "$1" ;;
    esac
}

# Whether the link is one of ours, also from before `bin` became a link.
our_link() {
    [ -L "$prefix/bin/$1" ] || return 1
    leads_to=$(readlink "$prefix/bin/$1")
    [ "$leads_to" = "$(target_of "$1")" ] || [ "$leads_to" = "$(target_of "$1" from anywhere)" ] ||
        placed_has link "$prefix/bin/$1" "$leads_to"
}

check_foreign() {
    [ ! -L "$root/current" ] && [ -e "$root/current" ] && refuse_foreign "$root/current"
    [ ! -e "$root/uninstall" ] || [ -f "$root/placed" ] || refuse_foreign "$root/uninstall"
    for name in $links; do
        link=$prefix/bin/$name
        [ ! -e "$link" ] && [ ! -L "$link" ] && continue
        our_link "$name" || refuse_foreign "$link"
    done
    for name in $shared_files; do
        [ ! -e "$share/$name" ] && [ ! -L "$share/$name" ] || placed_has file "$share/$name" || refuse_foreign "$share/$name"
    done
}

# ---- writing -------------------------------------------------------------------------------------

archive() {
    # These programs take options from the environment too.
    tail -c +$((head_bytes + script_bytes + 1)) <"$0" 2>/dev/null | (unset GZIP && exec gzip -dc)
}

# Until the switch nothing of the old version was touched; all that is new goes.
undo() {
    [ -z "$progress" ] || kill -KILL "$progress" 2>/dev/null
    [ "$switched" = no ] || return 0
    # Stopped between making the folder and locking it: what is in it is ours unless another has the lock.
    [ -z "$folders_made" ] || case $newline$folders_made in
        *"$newline$root$newline"*) [ "$lock_held" = yes ] || [ ! -d "$root" ] || ! take_lock || lock_held=yes ;;
    esac
    [ -z "$stage" ] || rm -rf "$stage"
    [ -z "$version_made" ] || rm -rf "$version_made"
    printf '%s' "$files_made" | while IFS= read -r path; do
        rm -f "$path"
    done
    if [ "$lock_held" = yes ]; then
        rm -f "$root/placed.new" "$root/current.new" "$root/uninstall.new"
        if [ -n "$previous" ]; then
            : # an older version is there and stays as it is
        elif [ -f "$root/placed" ] && [ -z "$placed_before" ]; then
            rm -f "$root/placed"
        fi
        [ -f "$root/placed" ] || rm -f "$root/.folders" "$root/.caches" "$root/.lock"
    fi
    [ -z "$folders_made" ] || printf '%s' "$folders_made" | sort -r | while IFS= read -r path; do
        rmdir "$path" 2>/dev/null
    done
}

# One user's folders are as private as that user makes them; what all users run, all can read.
make_one_folder() {
    if [ $place = user ]; then
        (umask "$users_umask" && umask u+rwx && exec mkdir "$1" 2>/dev/null)
    else
        mkdir "$1" 2>/dev/null
    fi
}

make_folder() {
    [ ! -d "$1" ] || return 0
    case $1 in
        */*/*) make_folder "${1%/*}" ;;
    esac
    folders_made="$folders_made$1$newline" # first: a signal may come between the two
    make_one_folder "$1" || [ -d "$1" ] || fail "cannot make the folder $1. Nothing was changed."
    # At once: who is killed has no other moment. Root's own folders come first and are recorded with it.
    [ ! -d "$root" ] || printf '%s' "$folders_made" 2>/dev/null >>"$root/.folders" ||
        fail "cannot write in $root: is its disk full? Nothing was changed."
}

# Folders of the user's that Hearth will make when it runs, where they are not there: empty in the end, they go too.
note_folders() {
    [ ! -e "$root/.caches" ] || return 0 # the first installation did
    for path in "$data_home" "$config_home" "$cache_home"; do
        while [ ! -e "$path" ] && [ "${path%/*}" != '' ]; do
            printf '%s\n' "$path"
            path=${path%/*}
        done
    done >>"$root/.folders" || fail "cannot write in $root: is its disk full? Nothing was changed."
    # Libraries that Hearth uses keep these for all programs. Where there are none, Hearth will be the first.
    for path in fontconfig mesa_shader_cache mesa_shader_cache_db nvidia radv_builtin_shaders; do
        [ -e "$cache_home/$path" ] || printf '%s\n' "$cache_home/$path"
    done >"$root/.caches" || fail "cannot write in $root: is its disk full? Nothing was changed."
}

# A path as the Exec key of a desktop entry wants it, in double quotes.
exec_of() {
    printf '%s\n' "$1" | sed 's/\\/\\\\\\\\/g; s/["`$]/\\\\&/g; s/%/%%/g'
}

# The file of the version that is staged, as it is to be placed: an entry starts the program by its full path.
as_placed() {
    case $1 in
        *.desktop)
            program=$(exec_of "$prefix/bin/hearth")
            while IFS= read -r line || [ -n "$line" ]; do
                case $line in
                    Exec=hearth) printf 'Exec="%s"\n' "$program" ;;
                    Exec=hearth\ *) printf 'Exec="%s" %s\n' "$program" "${line#Exec=hearth }" ;;
                    TryExec=*) ;;
                    *) printf '%s\n' "$line" ;;
                esac
            done <"$1"
            ;;
        *) cat "$1" ;;
    esac
}

show_progress() {
    if [ "$window" = yes ]; then
        while sleep 1; do
            printf '%d\n' $(($(du -sk "$stage" 2>/dev/null | cut -f 1) * 90 / unpacked_kb))
        done
    elif [ -t 2 ]; then
        while sleep 1; do
            printf '\rUnpacking: %3d %%' $(($(du -sk "$stage" 2>/dev/null | cut -f 1) * 100 / unpacked_kb)) >&2
        done
    fi
}

unpack() {
    stage=$root/.staging.$$
    mkdir "$stage" 2>/dev/null || fail "cannot write in $root. Nothing was changed."
    say "Unpacking..."
    show_progress 9>&- &
    progress=$!
    archive | (unset TAR_OPTIONS && exec tar -xof - -C "$stage") 2>/dev/null
    unpacked=$?
    # No other signal: one that comes before the new shell has let go of our traps is taken by them, and it would go on for good.
    kill -KILL "$progress" 2>/dev/null
    wait "$progress" 2>/dev/null
    progress=''
    [ "$window" = yes ] || [ ! -t 2 ] || printf '\r                \r' >&2
    [ $unpacked -eq 0 ] && (cd "$stage" && sha256sum -c manifest >/dev/null 2>&1) ||
        fail "Hearth could not be written whole into $root: is its disk full? Nothing was changed."
    # On disk before it is named: power may fail. Older systems cannot sync one folder's disk alone.
    sync -f "$stage" 2>/dev/null || true
}

# Before anything of the old version is touched: do the new programs start here?
try_programs() {
    "$stage/bin/hearth-cli" --version </dev/null >/dev/null 2>&1 9>&- ||
        fail "Hearth's programs do not start in $prefix: does its file system allow programs (noexec)? Nothing was changed."
    missing=''
    if ! "$stage/bin/hearth" --version </dev/null >/dev/null 2>&1 9>&-; then
        missing=$(LD_TRACE_LOADED_OBJECTS=1 "$stage/bin/hearth" 2>/dev/null 9>&- | sed -n 's/^[[:space:]]*\([^ ]*\) => not found$/\1/p' | sort -u | tr '\n' ' ')
        missing=${missing:-"(the system does not say which) "}
    fi
}

# The version's folder: one that is there is used if it holds the same, whole; else a new one is named after it.
name_version() {
    version_name=$VERSION
    number=1
    while [ -e "$root/$version_name" ]; do
        if [ -f "$root/$version_name/manifest" ] && cmp -s "$root/$version_name/manifest" "$stage/manifest" &&
            (cd "$root/$version_name" && sha256sum -c manifest >/dev/null 2>&1); then
            rm -rf "$stage"
            stage=''
            return 0
        fi
        number=$((number + 1))
        version_name=$VERSION-$number
    done
    mv "$stage" "$root/$version_name" || fail "cannot write in $root. Nothing was changed."
    version_made=$root/$version_name
    stage=''
}

# Beside each place a file PLACE.hearth-new, and `placed` with all that is and will be ours: whatever happens from here on, the uninstaller knows it.
prepare_files() {
    placed_lines=''
    for file in $shared_files; do
        path=$share/$file
        make_folder "${path%/*}"
        if [ -e "$path" ] && ! placed_has file "$path" "$(sum_of "$path")"; then
            say "$path was changed since it was installed and stays as it is."
            placed_lines="${placed_lines}file$tab-$tab$path$newline"
            continue
        fi
        files_made="$files_made$path.hearth-new$newline"
        (as_placed "$root/$version_name/share/$file" >"$path.hearth-new") 2>/dev/null ||
            fail "cannot write in ${path%/*}: is its disk full? Nothing was changed."
        sum=$(sum_of "$path.hearth-new") || fail "cannot read $path.hearth-new. Nothing was changed."
        placed_lines="${placed_lines}file$tab$sum$tab$path$newline"
    done
    make_folder "$prefix/bin"
    for one in $links; do
        placed_lines="${placed_lines}link$tab$(target_of $one)$tab$prefix/bin/$one$newline"
    done
    caches=''
    if [ -d "$share/applications" ] && [ ! -e "$share/applications/mimeinfo.cache" ]; then
        caches="${caches}cache${tab}applications$tab$share/applications$newline"
    fi
    if [ -d "$share/mime" ] && [ ! -e "$share/mime/mime.cache" ]; then
        caches="${caches}cache${tab}mime$tab$share/mime$newline"
    fi
    placed_lines="${placed_lines}share$tab-$tab$share$newline"
    {
        [ ! -f "$root/placed" ] || cat "$root/placed"
        printf '%s' "$caches$placed_lines"
    } | sort -u >"$root/placed.new" && cp "$root/$version_name/uninstall" "$root/uninstall.new" &&
        chmod 755 "$root/uninstall.new" || fail "cannot write in $root: is its disk full? Nothing was changed."
    mv -f "$root/placed.new" "$root/placed" || fail "cannot write in $root. Nothing was changed."
}

# One rename: before it the old version runs, after it the new one.
switch_version() {
    ln -sfn "$version_name" "$root/current.new" && mv -fT "$root/current.new" "$root/current" ||
        fail "cannot write in $root. Nothing was changed."
    switched=yes
}

place_files() {
    mv -f "$root/uninstall.new" "$root/uninstall" ||
        fail "Hearth $VERSION is installed, but its uninstaller could not be written in $root. Start the installer again."
    printf '%s' "$files_made" | while IFS= read -r path; do
        mv -f "$path" "${path%.hearth-new}" || exit 1
    done || fail "Hearth $VERSION is installed, but its entry in the desktop's menu could not be written in $share. Start the installer again."
    for one in $links; do
        ln -sfn "$(target_of $one)" "$prefix/bin/$one.hearth-new" && mv -fT "$prefix/bin/$one.hearth-new" "$prefix/bin/$one" ||
            fail "Hearth $VERSION is installed, but $prefix/bin/$one could not be written. Start the installer again."
    done
    # What an older version placed and this one does not have.
    old=$(grep "^file$tab" "$root/placed")
    while IFS=$tab read -r kind value path; do
        case $newline$placed_lines in
            *"$tab$path$newline"*) ;;
            *) [ ! -f "$path" ] || [ "$(sum_of "$path")" != "$value" ] || rm -f "$path" ;;
        esac
    done <<EOF
$old
EOF
    {
        grep "^cache$tab" "$root/placed"
        printf '%s' "$placed_lines"
    } | sort -u >"$root/placed.new" && mv -f "$root/placed.new" "$root/placed"
    refresh_desktop "$share"
}

# Whether the desktop reads its entries where ours is.
in_menu() {
    menu_folders=$data_home:${XDG_DATA_DIRS:-/usr/local/share:/usr/share}
    while [ -n "$menu_folders" ]; do
        [ ! "${menu_folders%%:*}" -ef "$share" ] || return 0
        case $menu_folders in
            *:*) menu_folders=${menu_folders#*:} ;;
            *) return 1 ;;
        esac
    done
    return 1
}

install_steps() {
    make_folder "$root"
    lock
    check_foreign
    placed_before=''
    [ ! -f "$root/placed" ] || placed_before=yes
    previous=$(readlink "$root/current" 2>/dev/null)
    rm -rf "$root"/.staging.*
    [ $place = system ] || note_folders
    unpack
    try_programs
    name_version
    prepare_files
    trap '' HUP INT TERM # from here on it takes no time, and half of it would be neither version
    switch_version
    place_files
    say "Hearth $VERSION is installed in $root/$version_name."
    [ -z "$previous" ] || [ "$previous" = "$version_name" ] || say "The version before, $previous, lies beside it; an open window of it goes on running."
    if [ -n "$missing" ]; then
        show "the window needs libraries that this system lacks: ${missing% }. Every desktop has them; until they are installed only hearth-cli will run."
    fi
    by_name=$prefix/bin/
    [ ! "$(command -v hearth)" -ef "$prefix/bin/hearth" ] || [ ! "$(command -v hearth-cli)" -ef "$prefix/bin/hearth-cli" ] || by_name=''
    from_menu=''
    ! in_menu || from_menu=" from the desktop's menu, or"
    say "Start it$from_menu with: ${by_name}hearth. In a terminal: ${by_name}hearth-cli run --chat"
    say "To remove it: $prefix/bin/hearth-uninstall"
}

# The bar of KDE's is told over the session's message bus. Where that fails there is none.
tell_bar() {
    [ -z "$bar" ] || dbus-send --print-reply --reply-timeout=2000 "--dest=${bar%% *}" "${bar#* }" "$@" </dev/null >/dev/null 2>&1
}

# Shows the lines on standard input: numbers are percent.
show_bar() {
    if command -v zenity >/dev/null; then
        zenity --progress --no-cancel --auto-close --width=420 --title=Hearth >/dev/null 2>&1
        return
    fi
    bar=$(kdialog --title Hearth --progressbar "Installing Hearth $VERSION" 100 2>/dev/null </dev/null) || bar='' # a name on the bus and a path
    tell_bar org.kde.kdialog.ProgressDialog.showCancelButton boolean:false
    while IFS= read -r percent; do
        case $percent in
            *[!0-9]*) ;;
            *) tell_bar org.freedesktop.DBus.Properties.Set string:org.kde.kdialog.ProgressDialog string:value "variant:int32:$percent" ;;
        esac
    done
    tell_bar org.kde.kdialog.ProgressDialog.close
}

# With a display and no terminal: a bar while it is written, where the desktop has a program for that.
install_in_window() {
    if ! command -v zenity >/dev/null && ! { command -v kdialog && command -v dbus-send; } >/dev/null; then
        install_steps
        return
    fi
    # The bar holds no end of the pipe that the status comes through: it may stay when all else has ended.
    status=$({
        {
            trap 'undo; exit 1' TERM
            (
                printf '1\n# Installing Hearth %s\n' "$VERSION"
                install_steps
            ) 3>&-
            printf '%d\n' $? >&3
            printf '100\n'
        } | show_bar 3>&-
    } 3>&1)
    [ "$status" = 0 ] || exit 1
}

main() {
    need_tools readlink
    set_user_folders
    mode=install place=user purge=no text=no
    while [ $# -gt 0 ]; do
        case $1 in
            --prefix)
                [ $# -gt 1 ] || fail "--prefix needs a folder. Nothing was changed."
                place=prefix
                shift
                set_typed_prefix "$1"
                ;;
            --system)
                place=system
                set_prefix /usr/local
                ;;
            --check) mode=check ;;
            --uninstall) mode=uninstall ;;
            --purge) purge=yes ;;
            --text) text=yes ;;
            -h | --help)
                usage
                exit 0
                ;;
            *) fail "unknown option $1; --help lists what there is. Nothing was changed." ;;
        esac
        shift
    done
    [ $purge = no ] || [ $mode = uninstall ] || fail "--purge goes with --uninstall. Nothing was changed."
    if [ ! -t 0 ] && [ ! -t 2 ] && [ $text = no ] && [ -n "${DISPLAY-}${WAYLAND_DISPLAY-}" ]; then
        window=yes
    fi
    need_tools cat chmod cmp cp cut df du flock getconf grep gzip id ln mkdir mv readlink rm rmdir sed sleep sort tar tr uname
    if [ $place = user ]; then
        [ -n "$HOME" ] || fail "HOME names no folder; --prefix DIR says where to install. Nothing was changed."
        [ -d "$HOME" ] || fail "the home folder $HOME does not exist; --prefix DIR says where to install. Nothing was changed."
        if other_users_session; then
            fail "you are root in another user's session: start it without sudo to install for yourself, or with --system for all users. Nothing was changed."
        fi
        set_prefix "$HOME/.local"
        share=$data_home
    else
        share=$prefix/share
    fi
    if [ $mode = uninstall ]; then
        uninstall $purge
        exit 0
    fi
    check_host
    check_target
    check_foreign
    if [ $mode = check ]; then
        say "This file is whole, and Hearth $VERSION can be installed in $root."
        exit 0
    fi
    trap 'fail "the installation was stopped. Nothing was changed."' HUP INT TERM
    if [ $window = yes ]; then
        install_in_window
        # Not as root, whose window it would be.
        [ $place = system ] || {
            exec 9>&- # the shell that waits for the window would hold the lock as long
            for_user "$prefix/bin/hearth"
        } &
    else
        install_steps
    fi
    exit 0
}
