# CPack's .deb of the programs with the system's Qt: `cpack -G DEB` in a build folder; installer/deb/build.sh does all
# of it. Libraries are found by dpkg-shlibdeps; what the window loads by name is in [run] of third_party/packages.txt.
set(HEARTH_MAINTAINER "The Hearth authors <authors@hearth.invalid>" CACHE STRING
    "Who the packages name as their maintainer: a name and an address")

file(STRINGS ${PROJECT_SOURCE_DIR}/third_party/packages.txt lines)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY
    CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/third_party/packages.txt)
set(section "")
set(depends "")
foreach(line IN LISTS lines)
    if(line MATCHES "^\\[(.*)\\]$")
        set(section ${CMAKE_MATCH_1})
    elseif(section STREQUAL "run" AND line MATCHES "^([a-z0-9][a-z0-9.+-]+)")
        list(APPEND depends ${CMAKE_MATCH_1})
    endif()
endforeach()
list(JOIN depends ", " depends)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hearth)
set(CPACK_PACKAGE_VENDOR "The Hearth authors")
set(CPACK_PACKAGE_CONTACT "${HEARTH_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "chat with a language model that runs on this computer")
set(CPACK_PACKAGE_DESCRIPTION "Hearth answers questions and writes with you. Everything you type stays on
this computer: there is no account, and no network is needed. A small model
comes with it.
.
Larger models are GGUF files. Those that do not fit the graphics card or the
memory run too: the processor, any graphics card with Vulkan and the disk work
together.
.
This package has the window, hearth, and the command line, hearth-cli.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "${depends}")
# Loaded by name where they are there: the placement's solver, and the way to graphics cards.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "coinor-libcbc3 | coinor-libcbc3.1, libvulkan1, xdg-utils")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "fonts-noto-cjk, fonts-noto-color-emoji, mesa-vulkan-drivers")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/documents.cmake)
include(CPack)
