#!/usr/bin/env bash
# Builds and tests in a Debian 13 root, as a new user would: debian13.sh [COMMAND...], ./test.sh by default,
# run in a copy of this tree. The root is made once, in build-debian13/, from the mirror that this machine's
# own apt uses. Exit status: the command's; 77 where a root cannot be made, with the reason in the last line.
set -u -o pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." || exit 1

readonly ROOT=$PWD/build-debian13/root

not_here() {
    echo "No Debian 13 root: $*"
    exit 77
}

((EUID == 0)) || not_here "it needs root"
command -v debootstrap >/dev/null || not_here "debootstrap is not installed"
unshare --mount true 2>/dev/null || not_here "this system allows no mounts of its own"

if [[ ! -e $ROOT/made ]]; then
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 2>/dev/null | sort -u | head -n 1)
    [[ -n $mirror ]] || not_here "apt knows no mirror of Debian"
    rm -rf "$ROOT" && mkdir -p "$ROOT" || exit 1
    debootstrap --variant=minbase --include=ca-certificates trixie "$ROOT" "$mirror" || exit 1
    : >"$ROOT/made"
fi

# The tree as it is, without what was built; what was built in the root stays.
mkdir -p "$ROOT/hearth" || exit 1
find "$ROOT/hearth" -mindepth 1 -maxdepth 1 ! -name 'build*' -exec rm -rf {} + || exit 1
tar --exclude=./.git --exclude=./build --exclude='./build-*' -cf - . | tar -C "$ROOT/hearth" -xf - || exit 1
cp -L /etc/resolv.conf "$ROOT/etc/resolv.conf" || exit 1

(($# > 0)) || set -- ./test.sh
# In a mount namespace of its own: what is mounted is gone when the command ends.
passed=()
for name in http_proxy https_proxy no_proxy HEARTH_NO_SKIP; do
    [[ -z ${!name-} ]] || passed+=("$name=${!name}")
done
exec unshare --mount --propagation private bash -c '
    root=$1
    shift
    mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount --rbind /sys "$root/sys" || exit 1
    exec chroot "$root" "$@"' mounts "$ROOT" \
    /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 ${passed[@]+"${passed[@]}"} \
    bash -c 'cd /hearth && exec "$@"' command "$@"
