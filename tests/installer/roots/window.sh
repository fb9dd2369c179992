# shellcheck shell=bash
# Sourced by roots.sh: the window of an installed Hearth, looked at from outside, and keys that reach it as a user's do.

# open_window NAME [ARGUMENT...]: as ann, with the keyboard. Sets window_pid.
open_window() {
    local name=$1
    shift
    in_root "$name" hearth "$@" >"$WORK/answer" 2>"$WORK/window-errors" &
    window_job=$!
    wait_until 60 find_window || wrong "$name: no window: $(tail -n 3 "$WORK/window-errors")"
    DISPLAY=$DISPLAY_HERE xdotool windowfocus --sync "$window_id" || wrong "$name: the window takes no keys"
}

# in_root replaces each program by the next, so the one that was started here becomes Hearth, or its child does.
find_window() {
    for window_pid in $window_job $(pgrep -P $window_job); do
        window_id=$(DISPLAY=$DISPLAY_HERE xdotool search --onlyvisible --pid "$window_pid" 2>/dev/null | tail -n 1)
        [[ -z $window_id ]] || return 0
    done
    kill -0 $window_job 2>/dev/null || wrong "the window ended: $(tail -n 3 "$WORK/window-errors")"
    return 1
}

window_is_open() {
    kill -0 "$window_pid" 2>/dev/null && [[ $(readlink "/proc/$window_pid/exe") == */bin/hearth ]]
}

# SIGTERM closes the window from where its handler is installed, which comes after the window's libraries.
closes_by_signal() {
    local caught
    caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$window_pid/status" 2>/dev/null)
    [[ -n $caught ]] && (((16#$caught >> 14) & 1))
}

close_window() {
    wait_until 60 closes_by_signal || wrong "the window does not listen to SIGTERM: $(tail -n 3 "$WORK/window-errors")"
    kill -TERM "$window_pid"
    wait $window_job || wrong "the window ended with status $?: $(tail -n 3 "$WORK/window-errors")"
}

kill_window() {
    kill -KILL "$window_pid"
    wait $window_job 2>/dev/null
}

keys() {
    DISPLAY=$DISPLAY_HERE xdotool key --clearmodifiers "$@" || wrong "no key could be pressed"
}

type_text() {
    DISPLAY=$DISPLAY_HERE xdotool type --delay 2 "$1" || wrong "no text could be typed"
}

# query NAME SQL: rows of ann's conversations, from a copy: a reader of another user's would leave files of its own.
query() {
    local from=$WORK/$1/srv/ann/.local/share/Hearth copy
    copy=$(mktemp -d) && cp "$from"/hearth.db* "$copy/" 2>/dev/null
    python3 - "$copy/hearth.db" "$2" <<'PYTHON'
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):
    print(*row, sep="|")
PYTHON
    rm -rf "$copy"
}

# has_row NAME SQL: whether there is one.
has_row() {
    [[ -n $(query "$1" "$2" 2>/dev/null) ]]
}

# look_at NAME WHAT: the display's picture into NAME-WHAT.png; one of few colours was not drawn.
look_at() {
    local colours
    colours=$(python3 tests/installer/deb/xwd_to_png.py "$WORK/Xvfb_screen0" "$WORK/$1-$2.png") || wrong "$1, $2: no picture"
    ((colours > 50)) || wrong "$1, $2: the picture has $colours colours"
}

# What is mapped of Qt comes from the bundle, whose folder this is.
qt_is_from() {
    local foreign
    grep -q libQt6Core "/proc/$window_pid/maps" || wrong "the window has no Qt"
    foreign=$(grep -E 'libQt6|/qt6/' "/proc/$window_pid/maps" | grep -vF "$1/lib/hearth/" | awk '{ print $6 }' | sort -u)
    [[ -z $foreign ]] || wrong "Qt that is not the bundle's: $foreign"
}
