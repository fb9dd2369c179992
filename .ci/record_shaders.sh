#!/usr/bin/env bash
# Makes shaders/recorded anew, with the shader compiler of a Debian 13 root (.ci/debian13.sh) and the CMake of this system: after
# each change of a source that the modules are made from. Needs root and debootstrap; build-khr/ is made for it.
set -eu -o pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

.ci/debian13.sh sh -c 'apt-get update && apt-get install -y --no-install-recommends glslang-tools'

# Outside the root, by its own loader: it reads and writes this system's files.
root=$PWD/build-debian13/root
loader=$(find "$root"/lib*/ "$root"/usr/lib*/ -maxdepth 1 -name 'ld-linux-*.so.*' 2>/dev/null | head -n 1)
libraries=$(find "$root/usr/lib" -maxdepth 1 -name '*-linux-gnu')
cat >build-debian13/glslangValidator <<WRAPPER
#!/bin/sh
exec '$loader' --library-path '$libraries' '$root/usr/bin/glslangValidator' "\$@"
WRAPPER
chmod +x build-debian13/glslangValidator

cmake -S . -B build-khr -G Ninja -DCMAKE_BUILD_TYPE=Release -DHEARTH_DESKTOP=OFF -DHEARTH_TESTS=OFF \
    -DHEARTH_GLSLANG="$PWD/build-debian13/glslangValidator"
cmake --build build-khr --target record_shaders
git diff --stat -- shaders/recorded
