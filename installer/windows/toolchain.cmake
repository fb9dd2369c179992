# Windows on x86-64 from Debian: GCC of mingw-w64, with its C++ threads on winpthread. What the programs link lies
# in build-windows/dependencies (build_dependencies.sh), and all of it is static: one file runs on a bare machine.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

get_filename_component(hearth_dependencies "${CMAKE_CURRENT_LIST_DIR}/../../build-windows/dependencies" ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH ${hearth_dependencies} /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${hearth_dependencies}/lib/pkgconfig)
set(ENV{PKG_CONFIG_PATH})

# A thread gets the stack that Linux gives it. The same sources are the same bytes, so no time stands in the file.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -Wl,--stack,8388608 -Wl,--no-insert-timestamp")
