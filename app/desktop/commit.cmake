# Writes HEADER with the commit that SOURCE is at: "unknown" if it is no clone, with "+" behind it if files differ from
# the commit.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND git -C ${SOURCE} describe --always --abbrev=12 --exclude=* --dirty=+
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
    set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define HEARTH_COMMIT \"${commit}\"\n")
