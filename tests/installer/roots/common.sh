# shellcheck shell=bash
# Sourced by roots.sh: roots of other systems, an ordinary user in them, and a display.

readonly WORK=${HEARTH_INSTALLER_ROOTS:-$PWD/build-roots}
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

# wait_until SECONDS COMMAND...
wait_until() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        ((SECONDS < end)) || return 1
        sleep 0.1
    done
}

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

# in_root NAME COMMAND...: as the user ann, or as root with AS=root; in a network with no way out, with the display. What is mounted
# goes with the command. SESSION=wayland gives it the compositor (wayland.sh) in place of the X display, SESSION=both gives it the two.
# HIDE_FONTS=yes hides the fonts, HIDE_LIBRARY=NAME a library.
in_root() {
    local name=$1 user=(/usr/bin/setpriv --reuid ann --regid ann --clear-groups) home=/srv/ann session=()
    shift
    [[ ${AS-} != root ]] || user=() home=/root
    [[ ${SESSION-x11} == wayland ]] || session+=(DISPLAY="${DISPLAY_HERE-}")
    [[ ${SESSION-x11} == x11 ]] || session+=(WAYLAND_DISPLAY=wayland-0 XDG_RUNTIME_DIR=/run/session)
    unshare --mount --net --propagation private bash -c '
        root=$1; shift
        mount -t proc proc "$root/proc" && mount --bind /dev "$root/dev" && mount -t tmpfs tmp "$root/tmp" || exit 1
        mkdir -p "$root/tmp/.X11-unix" && mount --bind /tmp/.X11-unix "$root/tmp/.X11-unix"
        if [[ ${SESSION-x11} != x11 ]]; then
            mount -t tmpfs run "$root/run" && mkdir --mode=700 "$root/run/session" && : >"$root/run/session/wayland-0" &&
                chown -R --reference="$root/srv/ann" "$root/run/session" && mount --bind "$COMPOSITOR" "$root/run/session/wayland-0" || exit 1
        fi
        [[ -z ${HIDE_LIBRARY-} ]] || mount --bind /dev/null "$(readlink -f "$root/usr/lib/x86_64-linux-gnu/$HIDE_LIBRARY")" || exit 1
        [[ -z ${HIDE_FONTS-} ]] || mount -t tmpfs none "$root/usr/share/fonts"
        exec chroot "$root" "$@"' mounts "$WORK/$name" ${user[@]+"${user[@]}"} \
        /usr/bin/env -i PATH="$home/.local/bin:/usr/local/bin:/usr/bin:/bin" HOME=$home ${session[@]+"${session[@]}"} sh -c 'cd && exec "$@"' command "$@"
}

# All there is in a root: kind, mode, owner and where a link leads; and the sums of files.
listing() {
    (cd "$WORK/$1" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp \) -prune -o -printf '%p %y %m %U %l\n' | sort &&
        find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp \) -prune -o -type f -print0 | sort -z | xargs -0 sha256sum)
}

# An empty home for ann, with the installer ($file) and the one of the next version ($next).
fresh_home() {
    rm -rf "$WORK/$1/srv/ann" && mkdir "$WORK/$1/srv/ann" && cp "$RUN" "$NEXT" "$WORK/$1/srv/ann/" &&
        chroot "$WORK/$1" chown -R ann:ann /srv/ann || exit 1
    file=/srv/ann/${RUN##*/} next=/srv/ann/${NEXT##*/}
}

# The next version of $RUN, $NEXT: the same programs under another name.
make_next() {
    rm -rf "$WORK/tree" && mkdir "$WORK/tree" &&
        tail -c +$(($(sed -n 's/^head_bytes=//p' "$RUN") + $(sed -n 's/^script_bytes=//p' "$RUN") + 1)) "$RUN" | tar -xzf - -C "$WORK/tree" || exit 1
    readonly NEXT=$WORK/hearth-next.run
    SOURCE_DATE_EPOCH=1700000000 installer/run/pack.py --tree "$WORK/tree" --version 99 --level 1 --out "$NEXT" || exit 1
}

start_display() {
    rm -f "$WORK/display"
    # Not reset when the last window closes: the next one may come in that moment.
    Xvfb -displayfd 3 -screen 0 1280x800x24 -ac -nolisten tcp -noreset -fbdir "$WORK" 3>"$WORK/display" >/dev/null 2>&1 &
    readonly DISPLAY_SERVER=$!
    # Weston first: without its display it would not end by itself.
    trap 'kill ${compositor_job-} $DISPLAY_SERVER 2>/dev/null' EXIT
    wait_until 10 test -s "$WORK/display" || not_here "Xvfb does not start"
    DISPLAY_HERE=:$(cat "$WORK/display")
}
