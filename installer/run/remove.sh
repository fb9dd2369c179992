# The uninstaller's steps. After common.sh.

# Lines of `placed`:
#   file    SHA-256   PATH   a file, removed while it is as it was placed
#   link    TARGET    PATH   a symbolic link, removed while it leads there
#   share   -         PATH   where the desktop's tools were told of entries and types
#   cache   KIND      PATH   a folder whose cache of KIND (applications, mime) did not exist
kept=''

keep() {
    case $newline$kept in
        *"$newline  $1$newline"*) ;; # `placed` may name a file twice
        *) kept="$kept  $1$newline" ;;
    esac
}

remove_placed_file() {
    [ -f "$2" ] && [ ! -L "$2" ] || return 0
    if [ "$(sum_of "$2")" = "$1" ]; then
        rm -f "$2" || fail "cannot remove $2. Start the uninstaller again when it can be removed."
    fi
}

remove_placed() {
    while IFS=$tab read -r kind value path; do
        case $kind in
            file)
                remove_placed_file "$value" "$path"
                remove_placed_file "$value" "$path.hearth-new"
                ;;
            link)
                case $path in
                    */hearth-uninstall) ;; # see remove_own_link
                    *) remove_placed_link "$value" "$path" ;;
                esac
                ;;
        esac
    done <"$root/placed"
}

remove_placed_link() {
    for name in "$2" "$2.hearth-new"; do
        if [ -L "$name" ] && [ "$(readlink "$name")" = "$1" ]; then
            rm -f "$name" || fail "cannot remove $name. Start the uninstaller again when it can be removed."
        fi
    done
}

# The uninstaller's own link is the last: until all else is gone, it is what the user starts again. Then notes what was placed and is there still.
remove_own_link() {
    while IFS=$tab read -r kind value path; do
        case $kind,$path in
            link,*/hearth-uninstall) remove_placed_link "$value" "$path" ;;
        esac
    done <"$root/placed"
    while IFS=$tab read -r kind value path; do
        case $kind in
            file) [ ! -e "$path" ] || keep "$path" ;;
            link) [ ! -L "$path" ] && [ ! -e "$path" ] || keep "$path" ;;
        esac
    done <"$root/placed"
}

# What the desktop's tools made of our entries, where there was nothing of theirs before.
remove_caches() {
    while IFS=$tab read -r kind value path; do
        [ "$kind" = cache ] || continue
        case $value in
            applications)
                # It says nothing more where nothing but its title is left.
                grep -q = "$path/mimeinfo.cache" 2>/dev/null || rm -f "$path/mimeinfo.cache"
                ;;
            mime)
                set -- "$path"/packages/*.xml
                if [ ! -e "$1" ]; then
                    for name in aliases generic-icons globs globs2 icons magic mime.cache subclasses treemagic types version XMLnamespaces; do
                        rm -f "$path/$name"
                    done
                    for name in "$path"/*/; do
                        [ "$name" = "$path/packages/" ] || rmdir "$name" 2>/dev/null
                    done
                fi
                ;;
        esac
    done <"$root/placed"
    return 0
}

# Files of one version that are as they were placed, then the folders that are empty.
remove_version() {
    cd "$1" || fail "cannot enter $1."
    sha256sum -c manifest 2>/dev/null | sed -n 's/: OK$//p' | while IFS= read -r name; do
        rm -f "./$name" || exit 1
    done || fail "cannot remove what is in $1. Start the uninstaller again when it can be removed."
    while IFS= read -r name; do
        rmdir "./$name" 2>/dev/null
    done <folders
    while IFS= read -r line; do
        name=${line#*  }
        [ ! -e "./$name" ] || keep "$1/$name"
    done <manifest
    rm -f manifest folders
    cd /
    rmdir "$1" 2>/dev/null || keep "$1 (holds files that the installer did not place)"
}

remove_user_folder() {
    if [ -L "$1" ]; then
        rm -f "$1"
    elif [ -e "$1" ]; then
        rm -rf "$1" || keep "$1"
    fi
}

# Whether there are conversations or settings.
user_folders() {
    [ -n "$HOME" ] || return 1
    for path in "$data_home/Hearth" "$config_home/Hearth"; do
        [ ! -e "$path" ] && [ ! -L "$path" ] || return 0
    done
    return 1
}

# Refuses what --purge must not do. Conversations belong to a user, not to an installation: a window of any other may show them.
check_purge() {
    [ -n "$HOME" ] || fail "HOME names no folder, so --purge would find no conversations. Nothing was changed."
    if other_users_session; then
        fail "you are root in another user's session, and --purge would remove root's conversations. Users remove their own without sudo; without --purge Hearth alone is removed. Nothing was changed."
    fi
    refuse_running any
    # A window from elsewhere, such as the .deb's. It holds SQLite's lock, of bytes from 1073741824 on; the system lists locks by their file's inode.
    lock_file=$data_home/Hearth/hearth.lock
    [ -e "$lock_file" ] || return 0
    inode=$(ls -diL "$lock_file" | sed 's/^ *\([0-9]*\) .*/\1/')
    ! grep -q "POSIX .*:$inode 10737418" /proc/locks 2>/dev/null ||
        fail "Hearth is running and shows the conversations in $data_home/Hearth; close its window and start again. Nothing was changed."
}

purge_user() {
    remove_user_folder "$data_home/Hearth"
    remove_user_folder "$config_home/Hearth"
}

say_kept() {
    [ -n "$kept" ] || return 0
    say "These stay, since they are not as the installer placed them or cannot be removed:"
    say "${kept%"$newline"}"
}

remove_folders() {
    printf '%s\n' "$folders" | while IFS= read -r path; do
        [ -z "$path" ] || rmdir "$path" 2>/dev/null
    done
}

uninstall_help() {
    printf '%s\n' \
        "Removes Hearth: every file that the installer placed and that is as it was, and Hearth's caches." \
        "Conversations and settings stay, and so do files of others." \
        "" \
        "  --purge       also removes your conversations, settings, downloaded models of Hearth's own folder, and the log" \
        "  --prefix DIR  where it was installed, if this is not the uninstaller that lies there" \
        "  --help        this text"
}

# uninstall PURGE(yes|no): from $root.
uninstall() {
    need_tools grep sha256sum readlink sed sort rm rmdir flock id ls
    [ "$1" = no ] || check_purge
    if [ ! -f "$root/placed" ] && [ ! -f "$root/.folders" ]; then
        [ "$1" = yes ] && user_folders || fail "there is no Hearth in $prefix. Nothing was changed."
        purge_user
        say "There is no Hearth in $prefix any more. Your conversations and settings are removed."
        say_kept
        return 0
    fi
    [ -w "$root" ] && [ -O "$root" ] ||
        fail "Hearth in $prefix belongs to another user; run the uninstaller as that user. Nothing was changed."
    refuse_running own
    lock
    if [ -f "$root/placed" ]; then # else an installer was killed before it placed anything
        remove_placed
        while IFS=$tab read -r kind value path; do
            [ "$kind" != share ] || refresh_desktop "$path"
        done <"$root/placed"
        remove_caches
    fi
    rm -rf "$root"/.staging.*
    rm -f "$root/current" "$root/current.new" "$root/uninstall.new" "$root/placed.new"
    for one in "$root"/*/; do
        [ ! -f "$one/manifest" ] || remove_version "${one%/}"
    done
    # One that an uninstaller was killed over, between its last file and itself.
    for one in "$root"/[0-9]*/; do
        rmdir "$one" 2>/dev/null
    done
    if [ -n "$HOME" ]; then
        remove_user_folder "$cache_home/hearth"
        remove_user_folder "$cache_home/Hearth"
        # Caches of other libraries, where there were none: whoever needs one makes it again.
        if [ -f "$root/.caches" ]; then
            while IFS= read -r path; do
                remove_user_folder "$path"
            done <"$root/.caches"
        fi
        [ "$1" = no ] || purge_user
    fi
    [ ! -f "$root/placed" ] || remove_own_link
    folders=$(sort -ru "$root/.folders")
    remove_folders # while their list is there: a killed uninstaller can be started again
    rm -f "$root/placed" "$root/.caches" "$root/uninstall" "$root/.folders" "$root/.lock"
    remove_folders # and the one that held the list, with those above it
    say "Hearth is removed."
    say_kept
    [ "$1" = no ] || return 0
    if user_folders; then
        say "Your conversations and settings stay in $data_home/Hearth and $config_home/Hearth."
    elif [ "$(id -u)" = 0 ]; then
        say "Conversations and settings of each user stay, in ~/.local/share/Hearth and ~/.config/Hearth."
    fi
}

# Where the uninstaller lies in DIR. `lib/hearth` may be a link to a folder of another name, and each version has a copy of the uninstaller too.
find_own_root() {
    prefix=${1%/lib/hearth*}
    root=$1
    [ -f "$root/placed" ] || [ -f "$root/.folders" ] || root=${root%/*}
    real_root=$root
}

# The uninstaller's own command line.
uninstall_main() {
    set_user_folders
    purge=no
    need_tools readlink
    here=$(readlink -f -- "$0") && [ -f "$here" ] || fail "the uninstaller does not find itself. Nothing was changed."
    find_own_root "${here%/*}"
    while [ $# -gt 0 ]; do
        case $1 in
            --purge) purge=yes ;;
            --prefix)
                [ $# -gt 1 ] || fail "--prefix needs a folder. Nothing was changed."
                shift
                set_typed_prefix "$1"
                ;;
            -h | --help)
                uninstall_help
                exit 0
                ;;
            *) fail "unknown option $1; --help lists what there is. Nothing was changed." ;;
        esac
        shift
    done
    uninstall "$purge"
    exit 0
}
