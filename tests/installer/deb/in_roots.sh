#!/usr/bin/env bash
# Installs, uses and removes the .deb in fresh roots of Debian: in_roots.sh DEB [SUITE...], bookworm and trixie if none
# is named. The window runs under Xvfb as an ordinary user in a network namespace without a route. Roots are made once,
# in build-deb/, from the mirror of this machine's apt; the pictures are left there.
# Exit status 1 with what went wrong; 77 where a root cannot be made, with the reason in the last line.
set -u -o pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../../.." || exit 1

readonly WORK=${HEARTH_DEB_ROOTS:-$PWD/build-deb}
readonly TOOLS="shared-mime-info,desktop-file-utils,ca-certificates"

not_here() {
    echo "No roots of Debian: $*"
    exit 77
}

wrong() {
    echo "in_roots.sh: $suite: $*" >&2
    exit 1
}

# Everything but what apt and dpkg write about themselves, and the user's own.
listing() {
    (cd "$root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./run -o -path ./tmp -o -path ./home \
        -o -path ./var/lib/apt -o -path ./var/cache/apt -o -path ./var/log -o -path ./var/lib/dpkg \) -prune -o \
        \( -type f -printf '%p %m %U ' -exec sha256sum {} \; \) -o \( ! -type f -printf '%p %y %m %U %l\n' \) | sort)
}

net=()
inside() {
    ${net[@]+"${net[@]}"} chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        ${proxies[@]+"${proxies[@]}"} "$@"
}

# As the user, with lo alone, which is not even up.
offline() {
    unshare --net chroot --userspec=1000:1000 "$root" /usr/bin/env -i PATH=/usr/bin:/bin HOME="/home"/user LC_ALL=C.UTF-8 "$@"
}

try_suite() {
    local deb=$1 base=$WORK/$suite log=$WORK/$suite.log
    root=$WORK/$suite-used
    mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount --rbind /sys "$root/sys" || wrong "no mounts"
    mkdir -p "$root/tmp/.X11-unix" && mount --bind /tmp/.X11-unix "$root/tmp/.X11-unix" || wrong "no display inside"
    cp -L /etc/resolv.conf "$root/etc/resolv.conf"
    cp "$deb" "$root/run/hearth.deb"
    local apt=(apt-get -y -q -o APT::Sandbox::User=root --no-install-recommends)
    inside useradd --create-home --uid 1000 user >"$log" 2>&1 || wrong "no user: $(tail -n 3 "$log")"
    inside apt-get update >>"$log" 2>&1 || wrong "apt-get update: $(tail -n 3 "$log")"
    inside "${apt[@]}" satisfy "$(dpkg-deb -f "$deb" Depends)" >>"$log" 2>&1 ||
        wrong "what it depends on cannot be installed: $(tail -n 12 "$log")"
    [[ ! -e $root/usr/bin/hearth ]] || wrong "hearth is there before it is installed"
    listing >"$WORK/$suite-before"

    net=(unshare --net) # nothing more is fetched
    inside "${apt[@]}" install /run/hearth.deb >>"$log" 2>&1 || wrong "install: $(tail -n 12 "$log")"
    [[ -e $root/usr/share/mime/application/x-gguf.xml ]] || wrong "the type of models is not known after the installation"
    grep -q 'application/x-gguf=hearth.desktop' "$root/usr/share/applications/mimeinfo.cache" ||
        wrong "models do not open with Hearth after the installation"
    local said
    said=$(offline hearth-cli run -p "What is rain?" 2>>"$log") ||
        wrong "hearth-cli: $(tail -n 3 "$log")"
    ((${#said} > 20)) || wrong "hearth-cli answered '$said'"

    offline DISPLAY="$display" hearth --say "What is rain?" >"$WORK/$suite.answer" 2>>"$log" &
    local program=$! waited=0
    until [[ -s $WORK/$suite.answer && $(tail -c 1 "$WORK/$suite.answer" | od -An -c) == *'\n'* ]]; do
        kill -0 "$program" 2>/dev/null || wrong "the window ended: $(tail -n 5 "$log")"
        ((waited++ < 120)) || wrong "the window gave no answer within two minutes: $(tail -n 5 "$log")"
        sleep 1
    done
    sleep 2 # the last frame
    local colours
    colours=$(python3 tests/installer/deb/xwd_to_png.py "$shown/Xvfb_screen0" "$WORK/$suite.png") || wrong "no picture"
    ((colours > 100)) || wrong "the picture has $colours colours"
    kill -TERM "$(pgrep -P "$program" -x hearth || echo "$program")"
    wait "$program" || wrong "the window ended with status $?"
    grep -q 'Hearth ends' "$root/home/user/.local/share/Hearth/hearth.log" || wrong "the window did not end in order"

    inside "${apt[@]}" purge hearth >>"$log" 2>&1 || wrong "purge: $(tail -n 5 "$log")"
    listing >"$WORK/$suite-after"
    diff "$WORK/$suite-before" "$WORK/$suite-after" >"$WORK/$suite-left" || wrong "left behind, or lost: $(head -n 20 "$WORK/$suite-left")"
    [[ -s $root/home/user/.local/share/Hearth/hearth.db ]] || wrong "the chats went with the program"
    echo "$suite: installed, answered '$(head -c 60 "$WORK/$suite.answer" | tr '\n' ' ')…', removed without a trace"
}

if [[ ${1-} == --in-suite ]]; then # in a mount namespace of its own
    suite=$2 shown=$3 display=$4
    proxies=()
    for name in http_proxy https_proxy no_proxy; do
        [[ -z ${!name-} ]] || proxies+=("$name=${!name}")
    done
    try_suite "$5"
    exit
fi

deb=$(readlink -f "${1:?in_roots.sh DEB [SUITE...]}") || exit 1
shift
(($# > 0)) || set -- bookworm trixie
((EUID == 0)) || not_here "it needs root"
for program in debootstrap Xvfb python3 dpkg-deb; do
    command -v "$program" >/dev/null || not_here "$program is not installed"
done
unshare --mount --net true 2>/dev/null || not_here "this system allows no namespaces of its own"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 2>/dev/null | sort -u | head -n 1)
[[ -n $mirror ]] || not_here "apt knows no mirror of Debian"
mkdir -p "$WORK" || exit 1

shown=$(mktemp -d) || exit 1
server=""
trap '[[ -z $server ]] || kill "$server"; rm -rf "$shown"' EXIT
exec {number}> >(cat >"$shown/number")
Xvfb -displayfd "$number" -screen 0 1280x800x24 -fbdir "$shown" -nolisten tcp -ac 2>"$shown/errors" &
server=$!
for ((i = 0; i < 100; ++i)); do
    [[ -s $shown/number ]] && break
    sleep 0.1
done
display=:$(<"$shown/number")
[[ $display != : ]] || { cat "$shown/errors" >&2; exit 1; }

for suite in "$@"; do
    base=$WORK/$suite
    if [[ ! -e $base.made ]]; then
        rm -rf "$base"
        debootstrap --variant=minbase --include="$TOOLS" "$suite" "$base" "$mirror" >"$base.log" 2>&1 ||
            { tail -n 5 "$base.log" >&2; exit 1; }
        : >"$base.made"
    fi
    rm -rf "$base-used" && cp -a --reflink=auto "$base" "$base-used" || exit 1
    unshare --mount --propagation private "$0" --in-suite "$suite" "$shown" "$display" "$deb" || exit 1
    rm -rf "$base-used"
done
