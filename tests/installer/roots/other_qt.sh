# shellcheck shell=bash
# Sourced by roots.sh. Qt's licence lets a user put another build of it in the place of ours. Here that is libQt6Core of the same release, built from
# Debian's source package with other options (other_qt_core.sh), or the file that HEARTH_OTHER_QT_CORE names.

build_id() {
    readelf -n "$1" | sed -n 's/^ *Build ID: //p'
}

# loaded_build_id_is NAME ID: whether the process has this build id in its memory where the file of that name is mapped. (patchelf moves it within the file.)
loaded_build_id_is() {
    python3 - "$window_pid" "$1" "$2" <<'PYTHON'
import sys
process, name, build_id = sys.argv[1:]
with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb") as memory:
    for line in maps:
        if line.rstrip().endswith(name) and line.split()[1].startswith("r"):
            begin, end = (int(place, 16) for place in line.split()[0].split("-"))
            memory.seek(begin)
            if bytes.fromhex(build_id) in memory.read(end - begin):
                sys.exit(0)
sys.exit(1)
PYTHON
}

# other_qt NAME
other_qt() {
    local name=$1 home=$WORK/$1/srv/ann other own
    other=${HEARTH_OTHER_QT_CORE:-$(tests/installer/roots/other_qt_core.sh)} || wrong "another libQt6Core could not be built"
    fresh_home "$name"
    in_root "$name" sh "$file" --text >/dev/null 2>&1 || wrong "$name: not installed"
    own=$home/.local/lib/hearth/current/lib/libQt6Core.so.6
    [[ -n $(build_id "$other") && $(build_id "$other") != "$(build_id "$own")" ]] || wrong "$other is the bundle's own build"

    open_window "$name"
    loaded_build_id_is lib/libQt6Core.so.6 "$(build_id "$own")" || wrong "$name: the check of build ids finds none"
    ! loaded_build_id_is lib/libQt6Core.so.6 "$(build_id "$other")" || wrong "$name: the check of build ids finds every one"
    close_window
    rm "$own" && cp "$other" "$own" && chroot "$WORK/$name" chown ann:ann "${own#"$WORK/$name"}" || exit 1
    open_window "$name" --say "What is rain?"
    loaded_build_id_is lib/libQt6Core.so.6 "$(build_id "$other")" || wrong "$name: the libQt6Core that was put there is not the one that is loaded"
    qt_is_from /srv/ann/.local
    wait_until 60 has_row "$name" "SELECT 1 FROM messages WHERE role = 'assistant' AND state = 'complete'" ||
        wrong "$name: no answer with another libQt6Core: $(tail -n 3 "$WORK/window-errors")"
    look_at "$name" other-qt
    close_window
    # It is the user's now: an installation of the same version leaves it alone, and so does the uninstaller.
    in_root "$name" sh "$file" --text >/dev/null 2>&1 || wrong "$name: not installed beside another Qt"
    [[ $(build_id "$home/.local/lib/hearth/"*.0/lib/libQt6Core.so.6) == "$(build_id "$other")" ]] || wrong "$name: the user's Qt was overwritten"
    in_root "$name" hearth-uninstall --purge >/dev/null 2>&1 || wrong "$name: not removed with another Qt"
    echo "ok: $name: libQt6Core of another build, $(build_id "$other"), was loaded and the window answered"
}
