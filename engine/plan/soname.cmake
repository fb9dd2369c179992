# hearth_soname(FILE VARIABLE)
# Sets VARIABLE to the name that programs linked with the shared library FILE load it by: the SONAME
# that the library itself states ("libCbcSolver.so.3" of libCbcSolver.so.3.10.8, "libCbcSolver.so.3.1"
# of another build of it). Asks readelf, or objdump where there is no readelf. A library that states
# none, or a machine with neither tool, gives the name of the file behind all symbolic links.
# FILE must exist. Works in scripts (cmake -P), where CMAKE_READELF or CMAKE_OBJDUMP must be set.
function(hearth_soname file variable)
    file(REAL_PATH "${file}" real)
    set(text "")
    if(CMAKE_READELF)
        execute_process(COMMAND ${CMAKE_READELF} -d "${real}"
            OUTPUT_VARIABLE text ERROR_QUIET)
    elseif(CMAKE_OBJDUMP)
        execute_process(COMMAND ${CMAKE_OBJDUMP} -p "${real}"
            OUTPUT_VARIABLE text ERROR_QUIET)
    endif()
    if(text MATCHES "\\(SONAME\\)[^\n]*\\[([^]\n]+)\\]")  # readelf, in any language
        set(name "${CMAKE_MATCH_1}")
    elseif(text MATCHES "\n *SONAME +([^ \n]+)")  # objdump
        set(name "${CMAKE_MATCH_1}")
    else()
        get_filename_component(name "${real}" NAME)
    endif()
    set(${variable} "${name}" PARENT_SCOPE)
endfunction()
