# shellcheck shell=bash
# Sourced by roots.sh: a desktop whose windows are Wayland's. The compositor is this system's Weston; its screen is a window on the X display, so keys and
# pictures go the same way as in the other parts. Hearth in the root gets its socket alone.

start_compositor() {
    local folder
    folder=$(mktemp -d) || exit 1
    printf '%s\n' '[core]' 'idle-time=0' '[shell]' 'panel-position=none' '[input-method]' 'path=' >"$WORK/weston.ini"
    XDG_RUNTIME_DIR=$folder DISPLAY=$DISPLAY_HERE weston --backend=x11-backend.so --use-pixman --width=1280 --height=800 --socket=hearth \
        --config="$WORK/weston.ini" >"$WORK/weston.log" 2>&1 &
    compositor_job=$!
    export COMPOSITOR=$folder/hearth
    wait_until 20 test -S "$COMPOSITOR" && wait_until 20 focus_compositor || wrong "Weston does not start: $(tail -n 3 "$WORK/weston.log")"
    chmod 777 "$COMPOSITOR"
}

focus_compositor() {
    local window
    window=$(DISPLAY=$DISPLAY_HERE xdotool search --onlyvisible --class '^Weston Compositor' 2>/dev/null) && [[ -n $window ]] &&
        DISPLAY=$DISPLAY_HERE xdotool windowfocus --sync "$window"
}

stop_compositor() {
    kill "$compositor_job"
    wait "$compositor_job" 2>/dev/null
    compositor_job=''
}

# The same program on this system: its clipboard is that of the other windows.
beside() {
    XDG_RUNTIME_DIR=${COMPOSITOR%/*} WAYLAND_DISPLAY=${COMPOSITOR##*/} timeout 20 "$@"
}

# shown_by PLUGIN: whether the program that was started last shows its window through it. Sets window_pid.
shown_by() {
    for window_pid in $window_job $(pgrep -P "$window_job"); do
        ! grep -q "/lib/hearth/.*/platforms/$1\$" "/proc/$window_pid/maps" 2>/dev/null || return 0
    done
    kill -0 "$window_job" 2>/dev/null || wrong "the window ended: $(tail -n 3 "$WORK/window-errors")"
    return 1
}

# open_by PLUGIN NAME [ARGUMENT...]
open_by() {
    local plugin=$1 name=$2
    shift 2
    in_root "$name" hearth "$@" >"$WORK/answer" 2>"$WORK/window-errors" &
    window_job=$!
    wait_until 60 shown_by "$plugin" || wrong "$name: $plugin is not what shows the window"
}

has_answer_to() {
    has_row "$1" "SELECT 1 FROM messages a JOIN messages q ON a.parent_id = q.id WHERE q.content = '$2' AND a.state = 'complete'"
}

# has_line RRGGBB: whether the picture has a line of this colour that is longer than the side bar is wide.
has_line() {
    python3 - "$WORK/Xvfb_screen0" "$1" <<'PYTHON'
import struct, sys
with open(sys.argv[1], "rb") as file:
    picture = file.read()
head, colours = struct.unpack(">I", picture[:4])[0], struct.unpack(">I", picture[76:80])[0]
line = bytes.fromhex(sys.argv[2])[::-1] + b"\0"
pixels = picture[head + 12 * colours:]
sys.exit(0 if 320 * line in pixels or 320 * (line[:3] + b"\xff") in pixels else 1)
PYTHON
}

# refused_window NAME WORDS: no window, and a sentence.
refused_window() {
    local words status
    words=$(in_root "$1" hearth 2>&1)
    status=$?
    ((status == 1)) && [[ $words == "No window can be opened: $2. Chat in the terminal with hearth-cli run --chat" ]] || wrong "$1: $status: $words"
    echo "ok: $1: $words"
}

# wayland NAME
wayland() {
    local name=$1 words
    fresh_home "$name"
    in_root "$name" sh "$file" --text >/dev/null 2>&1 || wrong "$name: not installed"
    start_compositor

    SESSION=wayland open_by libqwayland-generic.so "$name" --say "What is rain?"
    wait_until 60 grep -q '[a-z]' "$WORK/answer" || wrong "$name: no answer on Wayland; $(tail -n 3 "$WORK/window-errors")"
    qt_is_from /srv/ann/.local
    ! grep -q '/platforms/libqxcb' "/proc/$window_pid/maps" || wrong "$name: X is asked where there is Wayland"
    sleep 2 # the last frame
    look_at "$name" wayland
    has_line f4ede5 || wrong "$name: the title bar has not the window's colours"
    type_text "What is snow?"
    keys Return
    wait_until 60 has_answer_to "$name" "What is snow?" || wrong "$name: keys do not reach the window on Wayland"
    words=$(SESSION=wayland in_root "$name" hearth --say "What is a cloud?" 2>&1) && wait_until 60 has_answer_to "$name" "What is a cloud?" ||
        wrong "$name: a second start on Wayland: $words"
    # Settings have lines between two rows of pixels; beside them Qt may paint nothing.
    keys ctrl+comma
    sleep 3
    look_at "$name" wayland-settings
    ! has_line 000000 || wrong "$name: black lines in the settings"
    keys ctrl+comma
    # The clipboard, both ways.
    keys ctrl+n
    type_text "lent"
    keys ctrl+a ctrl+c
    words=$(beside wl-paste --no-newline) && [[ $words == lent ]] || wrong "$name: what was copied is not in the clipboard: $words"
    beside wl-copy --foreground "given" >/dev/null 2>&1 & # until somebody else copies
    sleep 2
    keys ctrl+a ctrl+v
    wait_until 20 has_row "$name" "SELECT 1 FROM drafts WHERE text = 'given'" || wrong "$name: what another window copied cannot be pasted"
    close_window
    echo "ok: $name, Wayland: answered \"$(head -c 60 "$WORK/answer" | tr '\n' ' ')...\", keys, clipboard, a second start"

    SESSION=wayland open_by libqwayland-generic.so "$name" --set window/theme=dark
    wait_until 20 has_line 141210 || wrong "$name: the title bar of a dark window is not dark"
    sleep 2
    look_at "$name" wayland-dark
    close_window

    SESSION=both open_by libqwayland-generic.so "$name"
    close_window
    SESSION=both HIDE_LIBRARY=libwayland-cursor.so.0 open_by libqxcb.so "$name" --say "What is ice?"
    wait_until 60 has_answer_to "$name" "What is ice?" || wrong "$name: no answer where X stands in for Wayland"
    close_window
    echo "ok: $name: Wayland goes before X, and X stands in where a library of Wayland's is missing"
    SESSION=wayland HIDE_LIBRARY=libwayland-cursor.so.0 refused_window "$name" "Wayland needs libwayland-cursor.so.0, which cannot be loaded here"
    stop_compositor
    : >"$COMPOSITOR"
    SESSION=wayland refused_window "$name" "the Wayland display wayland-0 does not answer"
    in_root "$name" hearth-uninstall --purge >/dev/null 2>&1 || wrong "$name: not removed after Wayland"
    rm -rf "${COMPOSITOR%/*}"
}
