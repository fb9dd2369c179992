#!/usr/bin/env bash
# The kernel checks on 64-bit ARM, cross-built and emulated: kernel_checks_neon.sh CMAKE SOURCE BUILD
# Fails without the cross compiler or qemu: test.sh installs both.
set -u -o pipefail

cmake=$1 source=$2 build=$3

for tool in aarch64-linux-gnu-g++ qemu-aarch64; do
    if ! command -v "$tool" >/dev/null; then
        echo "$tool is missing; third_party/packages.txt names its package"
        exit 1
    fi
done

"$cmake" -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DHEARTH_KERNEL_CHECKS_ONLY=ON \
    -DHEARTH_WERROR=ON -DCMAKE_TOOLCHAIN_FILE="$source/tests/support/aarch64-linux-gnu.cmake" || exit 1
"$cmake" --build "$build" --target kernel_checks --parallel 2 || exit 1

on() {
    local cpu=$1
    shift
    echo "==> $cpu: kernel_checks $*"
    qemu-aarch64 -L /usr/aarch64-linux-gnu -cpu "$cpu" "$build/bin/kernel_checks" "$@"
}

# The oldest core that has the dot product, so that an instruction newer than what the table asks
# for is an illegal one here; and one without, where the table must not run.
on neoverse-n1 --sample neon || exit 1
on cortex-a57 --kinds generic || exit 1
without=$(on cortex-a57 neon)
if [[ $without != *$'\n0 kernel checks of neon'* ]]; then
    echo "$without"
    echo "a processor without the dot product got the table neon"
    exit 1
fi
echo "neon is checked where it can run and absent where it cannot"
