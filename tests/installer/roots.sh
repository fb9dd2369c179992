#!/usr/bin/env bash
# The real installer on systems that have nothing of ours: roots.sh [FILE.run], else one that installer/build.sh makes.
# Debian 12 and 13 with the libraries of every desktop and no Qt, a minimal Debian 12, and Debian 11, which is too old. An ordinary user, a network
# without a route. The roots are made once, in build-roots/, from the mirror that this machine's own apt uses.
# Exit status: 0; 1 with what is wrong; 77 where a root cannot be made, with the reason in the last line.
set -u -o pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." || exit 1

readonly TOP=$PWD WORK=$PWD/build-roots
readonly KILLS=${HEARTH_INSTALLER_KILLS:-30}
# What a desktop has, of what installer/run/host_libraries.txt leaves to it. Debian 13 calls two of them otherwise.
readonly DESKTOP=libx11-6,libx11-xcb1,libxcb1,libxcb-glx0,libxcb-randr0,libxcb-shm0,libxcb-sync1,libxcb-xfixes0,libgl1,libegl1,libfontconfig1,libfreetype6,libdbus-1-3,libwayland-client0,libwayland-cursor0,libwayland-egl1

not_here() {
    echo "Not run: $*"
    exit 77
}

wrong() {
    echo "WRONG: $*" >&2
    exit 1
}

((EUID == 0)) || not_here "it needs root"
for tool in debootstrap Xvfb setpriv; do
    command -v $tool >/dev/null || not_here "$tool is not installed"
done
unshare --mount --net true 2>/dev/null || not_here "this system allows no mounts or networks of its own"

# make_root NAME SUITE [PACKAGES]
make_root() {
    [[ ! -e $WORK/$1/made ]] || return 0
    local mirror
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 2>/dev/null | sort -u | head -n 1)
    [[ -n $mirror ]] || not_here "apt knows no mirror of Debian"
    echo "==> A root of $2"
    rm -rf "${WORK:?}/$1" && mkdir -p "$WORK" || exit 1
    debootstrap --variant=minbase ${3:+--include=$3} "$2" "$WORK/$1" "$mirror" >"$WORK/$1.log" 2>&1 ||
        { tail -n 5 "$WORK/$1.log"; not_here "debootstrap made no $2"; }
    chroot "$WORK/$1" useradd --home-dir /srv/ann --create-home ann && : >"$WORK/$1/made"
}

# in_root NAME COMMAND...: as the user ann, in a network with no way out, with the display. What is mounted goes with the command.
in_root() {
    local name=$1
    shift
    unshare --mount --net --propagation private bash -c '
        root=$1; shift
        mount -t proc proc "$root/proc" && mount --bind /dev "$root/dev" && mount -t tmpfs tmp "$root/tmp" || exit 1
        mkdir -p "$root/tmp/.X11-unix" && mount --bind /tmp/.X11-unix "$root/tmp/.X11-unix"
        [[ -z ${HIDE_FONTS-} ]] || mount -t tmpfs none "$root/usr/share/fonts"
        exec chroot "$root" "$@"' mounts "$WORK/$name" \
        /usr/bin/setpriv --reuid ann --regid ann --clear-groups \
        /usr/bin/env -i PATH=/usr/bin:/bin HOME=/srv/ann DISPLAY="${DISPLAY_HERE-}" HEARTH_TEST="${HEARTH_TEST-}" sh -c 'cd && exec "$@"' command "$@"
}

# All there is in a root: kind, mode, owner and where a link leads; and the sums of files.
listing() {
    (cd "$WORK/$1" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp \) -prune -o -printf '%p %y %m %U %l\n' | sort &&
        find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp \) -prune -o -type f -print0 | sort -z | xargs -0 sha256sum)
}

fresh_home() {
    rm -rf "$WORK/$1/srv/ann" && mkdir "$WORK/$1/srv/ann" && cp "$RUN" "$NEXT" "$WORK/$1/srv/ann/" &&
        chroot "$WORK/$1" chown -R ann:ann /srv/ann || exit 1
    file=/srv/ann/${RUN##*/} next=/srv/ann/${NEXT##*/}
}

if (($# > 0)); then
    RUN=$(readlink -f "$1")
else
    installer/build.sh || exit 1
    RUN=$(ls "$TOP"/dist/hearth-*-linux-x86_64.run) || exit 1
fi
readonly RUN
mkdir -p "$WORK" || exit 1
# The next version: the same programs under another name.
rm -rf "$WORK/tree" && mkdir "$WORK/tree" &&
    tail -c +$(($(sed -n 's/^head_bytes=//p' "$RUN") + $(sed -n 's/^script_bytes=//p' "$RUN") + 1)) "$RUN" | tar -xzf - -C "$WORK/tree" || exit 1
readonly NEXT=$WORK/hearth-next.run
SOURCE_DATE_EPOCH=1700000000 installer/run/pack.py --tree "$WORK/tree" --version 99 --level 1 --out "$NEXT" || exit 1

rm -f "$WORK/display"
Xvfb -displayfd 3 -screen 0 1280x800x24 -ac -nolisten tcp -fbdir "$WORK" 3>"$WORK/display" >/dev/null 2>&1 &
readonly DISPLAY_SERVER=$!
trap 'kill $DISPLAY_SERVER' EXIT
for ((i = 0; i < 100; ++i)); do
    [[ -s $WORK/display ]] && break
    sleep 0.1
done
[[ -s $WORK/display ]] || not_here "Xvfb does not start"
DISPLAY_HERE=:$(cat "$WORK/display")

# open_window NAME WHAT: answers, loads its own Qt, leaves a picture in build-roots/NAME-WHAT.xwd.
open_window() {
    local name=$1
    in_root "$name" sh -c '
        .local/bin/hearth --say "What is rain?" >answer 2>errors &
        pid=$!
        for second in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
            sleep 1
            [ ! -s answer ] || break
        done
        sleep 2
        cat /proc/$pid/maps >maps 2>/dev/null
        tr "\0" "\n" </proc/$pid/environ >variables
        : >ready
        while [ -e ready ]; do sleep 0.2; done
        kill $pid; wait $pid' &
    local waiting=$! home=$WORK/$name/srv/ann
    for ((i = 0; i < 400; ++i)); do
        [[ ! -e $home/ready ]] || break
        sleep 0.1
    done
    cp "$WORK/Xvfb_screen0" "$WORK/$name-$2.xwd"
    [[ -z ${WHILE_OPEN-} ]] || $WHILE_OPEN "$name"
    rm -f "$home/ready"
    wait $waiting
    grep -q "[a-z]" "$home/answer" || wrong "$name, $2: no answer; $(tail -n 3 "$home/errors")"
    grep -q libQt6Core "$home/maps" || wrong "$name, $2: the window had ended, or has no Qt"
    local foreign
    foreign=$(grep -E 'libQt6|/qt6/' "$home/maps" | grep -v ' /srv/ann/.local/lib/hearth/' | awk '{ print $6 }' | sort -u)
    [[ -z $foreign ]] || wrong "$name, $2: Qt that is not the bundle's: $foreign"
    [[ $2 != no-fonts ]] || grep -q '/share/hearth/fonts/' "$home/maps" || wrong "$name, $2: the font is not ours"
    ! grep -q '^LD_\|^QT_\|^QML' "$home/variables" || wrong "$name, $2: variables of ours: $(cat "$home/variables")"
    # A window that was not drawn leaves one colour.
    local colours
    colours=$(tail -c 3000000 "$WORK/$name-$2.xwd" | od -An -v -tx4 -w4 | sort -u | wc -l)
    ((colours > 50)) || wrong "$name, $2: the picture has $colours colours"
    echo "ok: $name, $2: answered \"$(head -c 60 "$home/answer" | tr '\n' ' ')...\", picture of $colours colours"
    rm -f "$home"/{answer,errors,maps,variables}
}

upgrade_now() {
    in_root "$1" sh "$next" --text || wrong "$1: the upgrade beside an open window failed"
    in_root "$1" .local/bin/hearth --version >/dev/null || wrong "$1: the new version does not start"
}

# desktop NAME: all that an ordinary user does on a system without Qt.
desktop() {
    local name=$1 home=$WORK/$1/srv/ann began
    fresh_home "$name"
    listing "$name" >"$WORK/before"
    began=$(date +%s%N)
    in_root "$name" sh "$file" --text || wrong "$name: not installed"
    echo "ok: $name: installed in $((($(date +%s%N) - began) / 1000000)) ms"
    (($(date +%s%N) - began < 20000000000)) || wrong "$name: that is more than 20 s"
    open_window "$name" first
    HIDE_FONTS=yes open_window "$name" no-fonts

    # Another Qt in the place of ours, as its licence wants it to be possible: here Debian's own file, not stripped.
    local core=$home/.local/lib/hearth/current/lib/libQt6Core.so.6
    cp "$core" "$WORK/core" && patchelf --add-needed libm.so.6 "$core" 2>/dev/null
    cmp -s "$core" "$WORK/core" && wrong "$name: the other Qt is the same file"
    in_root "$name" .local/bin/hearth --version >/dev/null || wrong "$name: another Qt does not load"
    cat "$WORK/core" >"$core"

    echo mine >"$home/.local/lib/hearth/0-mine"
    (cd "$home/.local/share/Hearth" && sha256sum conversations* hearth* 2>/dev/null) >"$WORK/chats"
    WHILE_OPEN=upgrade_now open_window "$name" upgrade
    in_root "$name" .local/bin/hearth-uninstall || wrong "$name: not removed"
    listing "$name" >"$WORK/after"
    local rest
    rest=$(diff "$WORK/before" "$WORK/after" | grep '^[<>]' | grep -vE '/srv/ann(/\.local(/share(/Hearth.*)?|/lib(/hearth(/0-mine)?)?)?|/\.config(/Hearth.*)?)?( |$)')
    [[ -z $rest ]] || wrong "$name: left after removal: $rest"
    [[ -e $home/.local/lib/hearth/0-mine ]] || wrong "$name: a file of the user's is gone"
    rm -r "$home/.local/lib"
    in_root "$name" sh "$file" --text >/dev/null 2>&1 && in_root "$name" .local/bin/hearth-uninstall --purge || wrong "$name: not purged"
    rmdir "$home/.local/share" "$home/.local" "$home/.config" "$home/.cache" 2>/dev/null # the first installation's to remove; it left them for the conversations
    listing "$name" >"$WORK/after"
    cmp "$WORK/before" "$WORK/after" || wrong "$name: left after --purge: $(diff "$WORK/before" "$WORK/after")"
    echo "ok: $name: removed without a trace"
}

# kills NAME: an upgrade killed at moments all over it.
kills() {
    local name=$1 home=$WORK/$1/srv/ann ran
    fresh_home "$name"
    in_root "$name" sh "$file" --text >/dev/null 2>&1 && in_root "$name" .local/bin/hearth-cli run -p "Hi." >/dev/null 2>&1 || wrong "$name: not installed"
    in_root "$name" sh -c 'mkdir -p .local/share/Hearth && echo chat >.local/share/Hearth/chat' || exit 1
    for ((i = 1; i <= KILLS; ++i)); do
        in_root "$name" setsid --wait timeout --signal KILL "$(awk "BEGIN { print 0.1 * $i }")" sh "$next" --text >/dev/null 2>&1
        ran=$(in_root "$name" .local/bin/hearth-cli --version) || wrong "$name: nothing runs after kill $i"
        in_root "$name" .local/bin/hearth --version >/dev/null || wrong "$name: no window after kill $i"
        [[ $(cat "$home/.local/share/Hearth/chat") == chat ]] || wrong "$name: a chat is gone after kill $i"
        # Back to the old one, for the next.
        words=$(in_root "$name" sh "$file" --text 2>&1) || wrong "$name: cannot be installed after kill $i: $words"
    done
    in_root "$name" .local/bin/hearth-uninstall --purge >/dev/null 2>&1 || wrong "$name: not removed after the kills"
    rest=$(find "$home" -mindepth 1 ! -name '*.run')
    [[ -z $rest ]] || wrong "$name: left after the kills: $rest"
    echo "ok: $name: $KILLS kills"
}

make_root minimal bookworm
make_root debian12 bookworm "$DESKTOP,libglib2.0-0,libpng16-16"
make_root debian13 trixie "$DESKTOP,libglib2.0-0t64,libpng16-16t64"
make_root debian11 bullseye

fresh_home debian11
listing debian11 >"$WORK/before"
words=$(in_root debian11 sh "$file" --text 2>&1)
status=$?
listing debian11 >"$WORK/after"
((status == 1)) && [[ $words == *"glibc 2.31, and glibc 2.35 is needed"* ]] || wrong "Debian 11: $status: $words"
cmp "$WORK/before" "$WORK/after" || wrong "Debian 11: something was written"
echo "ok: debian11: $words"

fresh_home minimal
words=$(in_root minimal sh "$file" --text 2>&1) || wrong "minimal: $words"
[[ $words == *"only hearth-cli will run"* && $words == *libX11.so.6* ]] || wrong "minimal: it does not say what the window lacks: $words"
answer=$(in_root minimal .local/bin/hearth-cli run -p "What is rain?" 2>/dev/null) && [[ -n $answer ]] || wrong "minimal: no answer"
in_root minimal .local/bin/hearth-cli devices >"$WORK/devices" 2>&1
! grep -q "no Vulkan loader" "$WORK/devices" || wrong "minimal: the bundle's Vulkan loader is not found: $(cat "$WORK/devices")"
in_root minimal .local/bin/hearth-cli plan --solver paper --assume-gpu 1G,900,20 >/dev/null 2>"$WORK/plan" || echo "note: plan: $(tail -n 1 "$WORK/plan")"
echo "ok: minimal: \"$answer\""

desktop debian12
desktop debian13
kills debian12
echo "All of it went well."
