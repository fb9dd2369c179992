# Shared by the installer and the uninstaller. POSIX sh. Variables that pack.py writes before these lines: VERSION.
#
# Below a prefix P stands:
#   P/lib/hearth/VERSION/   one version, with `manifest` (sums of its files) and `folders`
#   P/lib/hearth/current    a link to the version that runs
#   P/lib/hearth/placed     what was placed outside of it: KIND tab VALUE tab PATH, see read_placed
#   P/lib/hearth/uninstall  the uninstaller
#   P/lib/hearth/.folders   the folders that did not exist before, one a line
#   P/lib/hearth/.caches    folders of caches that did not exist before, likewise
#   P/lib/hearth/.lock      held while an installer or uninstaller works
#   P/bin/hearth, hearth-cli, hearth-uninstall   links, see target_of
#   SHARE/applications, icons, metainfo, mime    P/share, or for a user alone $XDG_DATA_HOME

# The system's shell takes over: in zsh `path` is PATH, and ksh closes the lock's file for the programs it starts. Once, since it may be one of these.
if [ -n "${ZSH_VERSION-}${KSH_VERSION-}${YASH_VERSION-}" ] && [ -z "${hearth_shell-}" ]; then
    exec env hearth_shell=again /bin/sh -- "$0" "$@"
fi
unset hearth_shell
set +aefC # whatever the shell was started with
set -u
users_umask=$(umask)
umask 022
# Messages of tools are read, and a name is bytes. What is started for the user gets the user's own setting.
users_locale=${LC_ALL-}
LC_ALL=C
export LC_ALL
tab=$(printf '\t')
newline='
'
window=no # yes: there is a display and no terminal
lock_held=no

say() {
    [ "$window" = yes ] || printf '%s\n' "$*" >&2
}

# Runs a program of the user's: with the environment that we were started in.
for_user() {
    (
        unset LC_ALL
        [ -z "$users_locale" ] || export LC_ALL="$users_locale"
        exec "$@" </dev/null >/dev/null 2>&1 9>&-
    )
}

# A message that must be seen.
show() {
    printf 'hearth: %s\n' "$*" >&2
    [ "$window" = yes ] || return 0
    if command -v zenity >/dev/null; then
        for_user zenity --error --no-markup --width=420 --title=Hearth --text="Hearth: $*"
    elif command -v kdialog >/dev/null; then
        for_user kdialog --title Hearth --error "Hearth: $*"
    elif command -v xmessage >/dev/null; then
        for_user xmessage -center "Hearth: $*"
    fi
    return 0
}

# Ends with a sentence, after undo() if there is something to undo.
fail() {
    undo
    show "$*"
    exit 1
}

undo() { :; }

need_tools() {
    for tool in "$@"; do
        command -v "$tool" >/dev/null ||
            fail "this system has no $tool, which the installer needs; install it and start again. Nothing was changed."
    done
}

# A variable of the desktop's that names a folder; a relative one counts as not set.
folder_of() {
    case $1 in
        /*) printf '%s\n' "$1" ;;
        *) printf '%s\n' "$2" ;;
    esac
}

set_user_folders() {
    refuse_odd_name "${HOME-}${XDG_DATA_HOME-}${XDG_CONFIG_HOME-}${XDG_CACHE_HOME-}"
    case ${HOME-} in
        /*) ;;
        *) HOME='' ;;
    esac
    data_home=$(folder_of "${XDG_DATA_HOME-}" "$HOME/.local/share")
    config_home=$(folder_of "${XDG_CONFIG_HOME-}" "$HOME/.config")
    cache_home=$(folder_of "${XDG_CACHE_HOME-}" "$HOME/.cache")
}

refuse_odd_name() {
    case $1 in
        *"$newline"* | *"$tab"*) fail "a folder whose name has a tab or a line break cannot be used. Nothing was changed." ;;
    esac
}

# set_prefix DIR: everything below is where that prefix has it. DIR is absolute.
set_prefix() {
    refuse_odd_name "$1"
    prefix=$1
    root=$prefix/lib/hearth
    # What the system says of running programs, and what a link from elsewhere needs.
    real_root=$(readlink -m -- "$root") || fail "this system's readlink cannot resolve $root. Nothing was changed."
}

# The same for a folder as it was typed: what is written down must hold from any folder, and when a link in it leads elsewhere.
set_typed_prefix() {
    case $1 in
        '') fail "--prefix needs a folder. Nothing was changed." ;;
        -*) fail "--prefix needs a folder, and $1 looks like an option; a folder of this name is ./$1. Nothing was changed." ;;
    esac
    refuse_odd_name "$1"
    resolved=$(readlink -m -- "$1") || fail "this system's readlink cannot resolve $1. Nothing was changed."
    set_prefix "$resolved"
}

# One installer or uninstaller at a time; the kernel lets go of the lock when this process ends, however it ends.
take_lock() {
    exec 9>"$root/.lock"
    flock -n 9 9>&9 # a ksh hands on only what it is told to
}

lock() {
    # Tried in a shell of its own first: a redirection of exec that fails ends the shell without a word.
    (: >>"$root/.lock") 2>/dev/null || fail "there is no right to write in $root. Nothing was changed."
    take_lock || fail "another installation of Hearth in $prefix is running; wait until it has ended. Nothing was changed."
    # The one before may have removed the file between our opening and our locking it.
    [ ! -e /proc/$$/fd/9 ] || [ "$root/.lock" -ef /proc/$$/fd/9 ] ||
        fail "another installation of Hearth in $prefix has just ended; start again. Nothing was changed."
    lock_held=yes
}

sum_of() {
    sum_line=$(sha256sum <"$1") || return 1
    printf '%s\n' "${sum_line%% *}"
}

# Whether root works in the session of somebody else, whose home it may or may not have.
other_users_session() {
    [ "$(id -u)" = 0 ] || return 1
    case ${SUDO_USER-},${DOAS_USER-},${PKEXEC_UID-} in
        ,, | root,, | ,root, | ,,0) [ -e "$HOME" ] && [ ! -O "$HOME" ] ;;
    esac
}

# refuse_running own|any: while a program of this installation runs; or also the window of any other that this user has.
refuse_running() {
    for process in /proc/[0-9]*; do
        exe=$(readlink "$process/exe" 2>/dev/null) || continue
        exe=${exe%" (deleted)"}
        case $exe in
            "$real_root/"*) ;;
            */lib/hearth/*/bin/hearth) [ "$1" = any ] && [ -O "$process" ] || continue ;;
            *) continue ;;
        esac
        case $exe in
            */hearth) fail "Hearth is running ($exe); close its window and start again. Nothing was changed." ;;
            *) fail "$exe is running (process ${process#/proc/}); end it and start again. Nothing was changed." ;;
        esac
    done
}

# Tells the desktop's tools that entries and types changed. A cache of icons is only renewed: without one every desktop looks into the folders.
refresh_desktop() {
    if [ -d "$1/applications" ] && command -v update-desktop-database >/dev/null; then
        update-desktop-database -q "$1/applications" >/dev/null 2>&1
    fi
    if [ -d "$1/mime/packages" ] && command -v update-mime-database >/dev/null; then
        update-mime-database "$1/mime" >/dev/null 2>&1
    fi
    if [ -e "$1/icons/hicolor/icon-theme.cache" ] && command -v gtk-update-icon-cache >/dev/null; then
        gtk-update-icon-cache -q -f -t "$1/icons/hicolor" >/dev/null 2>&1
    fi
    return 0
}
