# cmake -DSOURCE=... -DFOLDER=... -DCXX=... -DREADELF=... -DOBJDUMP=... -P soname_test.cmake
# Builds shared libraries with SONAMEs of several forms and asks hearth_soname() for each.
include(${SOURCE}/engine/plan/soname.cmake)

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
file(WRITE ${FOLDER}/empty.cpp "")

function(expect tool file wanted)
    hearth_soname(${FOLDER}/${file} found)
    if(NOT found STREQUAL wanted)
        message(SEND_ERROR "${tool}: the name of ${file} is \"${wanted}\", found \"${found}\"")
    endif()
endfunction()

function(build name)
    execute_process(COMMAND ${CXX} -shared -fPIC -o ${FOLDER}/${name} ${FOLDER}/empty.cpp ${ARGN}
        COMMAND_ERROR_IS_FATAL ANY)
endfunction()

build(libtwo.so.3.1.10 -Wl,-soname,libtwo.so.3.1)
build(libone.so.3.10.8 -Wl,-soname,libone.so.3)
build(libnone.so.7.2)
file(CREATE_LINK libtwo.so.3.1.10 ${FOLDER}/libtwo.so SYMBOLIC)
file(CREATE_LINK libone.so.3.10.8 ${FOLDER}/libone.so SYMBOLIC)
file(CREATE_LINK libnone.so.7.2 ${FOLDER}/libnone.so SYMBOLIC)

foreach(tool READELF OBJDUMP none)
    unset(CMAKE_READELF)
    unset(CMAKE_OBJDUMP)
    if(NOT tool STREQUAL "none")
        if(NOT ${tool})
            continue()
        endif()
        set(CMAKE_${tool} ${${tool}})
        expect(${tool} libtwo.so libtwo.so.3.1)
        expect(${tool} libone.so libone.so.3)
    else()
        expect(${tool} libtwo.so libtwo.so.3.1.10)
    endif()
    expect(${tool} libnone.so libnone.so.7.2)
endforeach()
