# Searches with libFuzzer until HEARTH_FUZZ_RUNS executions are done or HEARTH_FUZZ_SECONDS are over,
# whichever is set and comes first; with neither set, for a million executions.
# PROGRAM, NAME, SOURCE (this folder), FOUND (what it found, kept between searches).
set(limit "")
if(DEFINED ENV{HEARTH_FUZZ_SECONDS})
    list(APPEND limit -max_total_time=$ENV{HEARTH_FUZZ_SECONDS})
endif()
if(DEFINED ENV{HEARTH_FUZZ_RUNS})
    list(APPEND limit -runs=$ENV{HEARTH_FUZZ_RUNS})
elseif(NOT limit)
    set(limit -runs=1000000)
endif()
file(MAKE_DIRECTORY ${FOUND}/corpus)
# 256 MiB: far above what an input of 4 KiB may make the engine ask for at once.
execute_process(
    COMMAND ${PROGRAM} ${FOUND}/corpus ${SOURCE}/corpus/${NAME} ${limit}
        -dict=${SOURCE}/${NAME}.dict -artifact_prefix=${FOUND}/ -max_len=4096 -timeout=10
        -malloc_limit_mb=256 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0
    RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "The input that failed is in ${FOUND}; again with ${PROGRAM} FILE")
endif()
