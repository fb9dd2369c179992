# shellcheck shell=bash
# Shared by run.sh and test.sh: packages, configure, build. Sourced from bash, in the project's
# root. What these functions say goes to standard error: standard output is for the answer.

readonly HEARTH_ROOT=$PWD
readonly HEARTH_BUILD=$HEARTH_ROOT/build

say() {
    printf '%s\n' "$*" >&2
}

# fail STEP ADVICE...: which step failed, and what to do.
fail() {
    local step=$1
    shift
    say ""
    say "FAILED: $step"
    local line
    for line in "$@"; do
        say "  $line"
    done
    exit 1
}

# Names of the packages in the given sections of third_party/packages.txt.
packages_of() {
    local wanted=" $* " section="" line
    while IFS= read -r line; do
        line=${line%%#*}
        read -r line <<<"$line"
        case $line in
            "") ;;
            \[*\]) section=${line:1:-1} ;;
            *) [[ $wanted == *" $section "* ]] && printf '%s\n' "$line" ;;
        esac
    done <"$HEARTH_ROOT/third_party/packages.txt"
}

missing_packages() {
    local installed
    installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p')
    # pkg-config may be provided by pkgconf, which replaces it in newer releases.
    if command -v pkg-config >/dev/null; then
        installed+=$'\npkg-config'
    fi
    packages_of "$@" | grep -vxF -f <(printf '%s\n' "$installed")
}

# Other systems: say what is needed and go on if the tools at least are there.
explain_packages() {
    say "This system has no apt, so nothing is installed here. Hearth needs what these Debian packages hold:"
    packages_of "$@" | sed 's/^/  /' >&2
    local tool
    for tool in cmake ninja c++ pkg-config; do
        command -v "$tool" >/dev/null ||
            fail "find the system packages" "$tool is missing. Install the packages above under this system's names" \
                "(third_party/packages.txt says what each is for) and start again." \
                "On Windows and macOS build with CMake by hand: cmake -S . -B build -G Ninja && cmake --build build"
    done
}

install_packages() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        [[ -f $HEARTH_BUILD/build.ninja ]] || explain_packages "$@"
        return
    fi
    local missing
    mapfile -t missing < <(missing_packages "$@")
    if ((${#missing[@]} == 0)); then
        return
    fi
    local by_hand="apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    local as_root=()
    if ((EUID != 0)); then
        if ! command -v sudo >/dev/null; then
            fail "install system packages" "Neither root nor sudo. Ask an administrator to run:" "$by_hand"
        fi
        if ! sudo -n true 2>/dev/null && [[ ! -t 0 ]]; then
            fail "install system packages" "sudo wants a password and there is no terminal to type it. Run:" \
                "sudo sh -c '$by_hand'"
        fi
        as_root=(sudo)
    fi
    say "==> Installing ${#missing[@]} system packages: ${missing[*]}"
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -q
        -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
    # A source that cannot be reached is no reason to stop: the packages may come from another.
    "${apt[@]}" update >&2 </dev/null || say "Some package lists could not be updated; going on with those there are."
    "${apt[@]}" install --no-install-recommends "${missing[@]}" >&2 </dev/null ||
        fail "install system packages" "apt could not install them; its own words are above. Try by hand:" \
            "${as_root[*]:+sudo }sh -c '$by_hand'"
}

# One C++ compilation needs up to a gigabyte: more jobs than memory would swap.
parallel_jobs() {
    local cores memory
    cores=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
    memory=$(awk '/^MemAvailable:/ { print int($2 / 1000000) }' /proc/meminfo 2>/dev/null)
    memory=${memory:-$cores}
    local jobs=$((cores < memory ? cores : memory))
    printf '%s\n' $((jobs > 1 ? jobs : 1))
}

configure() {
    local cache=$HEARTH_BUILD/CMakeCache.txt fresh=()
    if [[ -f $cache ]]; then
        # A folder that was moved or copied remembers its old place.
        if grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$HEARTH_ROOT" "$cache" &&
            grep -qxF "CMAKE_BUILD_TYPE:STRING=Release" "$cache" &&
            [[ -f $HEARTH_BUILD/build.ninja ]]; then
            return
        fi
        fresh=(--fresh)
    fi
    say "==> Configuring"
    cmake ${fresh[@]+"${fresh[@]}"} -S "$HEARTH_ROOT" -B "$HEARTH_BUILD" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DHEARTH_DESKTOP=ON -DHEARTH_TESTS=ON >&2 ||
        fail "configure" "CMake's message is above. If it names a package, third_party/packages.txt should list it." \
            "To start over: rm -rf build"
}

# build TARGET...
build() {
    local jobs
    jobs=$(parallel_jobs)
    [[ -f $HEARTH_BUILD/.ninja_log ]] || say "==> Building with $jobs jobs; the first time takes some minutes"
    cmake --build "$HEARTH_BUILD" --parallel "$jobs" --target "$@" >&2 ||
        fail "build" "The first line with 'error:' above says where. If memory ran out, free some and start again:" \
            "what is built stays. To start over: rm -rf build"
}
