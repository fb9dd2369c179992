# shellcheck shell=bash
# Sourced by roots.sh: all that an ordinary user does on a desktop without Qt.

# answers NAME WHAT [COMMAND...]: a window answers, with its own Qt and no variable of ours, and is drawn; then the command runs beside it.
answers() {
    local name=$1 what=$2
    shift 2
    open_window "$name" --say "What is rain?"
    # What it says on standard output ends with a line break.
    wait_until 60 grep -q '[a-z]' "$WORK/answer" || wrong "$name, $what: no answer; $(tail -n 3 "$WORK/window-errors")"
    sleep 2 # the last frame
    look_at "$name" "$what"
    qt_is_from /srv/ann/.local
    [[ $what != no-fonts ]] || grep -q '/share/hearth/fonts/' "/proc/$window_pid/maps" || wrong "$name, $what: the font is not ours"
    ! tr '\0' '\n' <"/proc/$window_pid/environ" | grep '^LD_\|^QT_\|^QML' || wrong "$name, $what: variables of ours, named above"
    (($# == 0)) || "$@"
    window_is_open || wrong "$name, $what: the window has ended"
    close_window
    echo "ok: $name, $what: answered \"$(head -c 60 "$WORK/answer" | tr '\n' ' ')...\""
}

upgrade_now() {
    in_root "$1" sh "$next" --text || wrong "$1: the upgrade beside an open window failed"
    in_root "$1" hearth --version >/dev/null || wrong "$1: the new version does not start"
}

# desktop NAME
desktop() {
    local name=$1 home=$WORK/$1/srv/ann began rest
    fresh_home "$name"
    listing "$name" >"$WORK/before"
    began=$(date +%s%N)
    in_root "$name" sh "$file" --text || wrong "$name: not installed"
    echo "ok: $name: installed in $((($(date +%s%N) - began) / 1000000)) ms"
    (($(date +%s%N) - began < 20000000000)) || wrong "$name: that is more than 20 s"
    answers "$name" first
    HIDE_FONTS=yes answers "$name" no-fonts

    echo mine >"$home/.local/lib/hearth/0-mine"
    answers "$name" upgrade upgrade_now "$name"
    in_root "$name" hearth-uninstall || wrong "$name: not removed"
    listing "$name" >"$WORK/after"
    rest=$(diff "$WORK/before" "$WORK/after" | grep '^[<>]' | grep -vE '/srv/ann(/\.local(/share(/Hearth.*)?|/lib(/hearth(/0-mine)?)?)?|/\.config(/Hearth.*)?)?( |$)')
    [[ -z $rest ]] || wrong "$name: left after removal: $rest"
    [[ -e $home/.local/lib/hearth/0-mine ]] || wrong "$name: a file of the user's is gone"
    rm -r "$home/.local/lib"
    in_root "$name" sh "$file" --text >/dev/null 2>&1 && in_root "$name" hearth-uninstall --purge || wrong "$name: not purged"
    rmdir "$home/.local/share" "$home/.local" "$home/.config" "$home/.cache" 2>/dev/null # the first installation's to remove; it left them for the conversations
    listing "$name" >"$WORK/after"
    cmp "$WORK/before" "$WORK/after" || wrong "$name: left after --purge: $(diff "$WORK/before" "$WORK/after")"
    echo "ok: $name: removed without a trace"
}
