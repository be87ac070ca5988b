# Tests that are about ranks: one program, started with 1, 2, 3, 4 and 7 ranks, as threads and as processes.
set(WEFT_TEST_RANKS 1 2 3 4 7)
# More ranks show nothing more to a sanitizer, and cost it much; nor do two where there are three, nor one to
# ThreadSanitizer.
set(WEFT_MOST_SANITIZED_RANKS 3)

# Small segments: sanitizers keep books about address space, and a test needs little.
# Datagrams also where a test has more ranks than the machine has processors.
set(WEFT_TEST_ENVIRONMENT WEFT_SEGMENT_SIZE=64M WEFT_IP_DATAGRAMS=1)

# weft_rank_test(PROGRAM NAME <sentence> [AS threads processes] [RANKS n...] [ENVIRONMENT X=Y...] [ARGUMENTS ...]
#                [LABELS ...])
# makes one test per way to start and number of ranks, under a sanitizer only with the label `sanitize`. Its limit is
# that of a quick test up to 4 ranks, but over networks. {ranks} in an argument or variable is replaced by the number,
# {as} by threads or processes.
function(weft_rank_test program)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "NAME" "AS;RANKS;ENVIRONMENT;ARGUMENTS;LABELS")
  if(WEFT_SANITIZE AND NOT sanitize IN_LIST test_LABELS)
    return()
  endif()
  if(NOT test_AS)
    set(test_AS threads processes)
  endif()
  if(NOT test_RANKS)
    set(test_RANKS ${WEFT_TEST_RANKS})
  endif()
  if(WEFT_SANITIZE)
    list(FILTER test_RANKS INCLUDE REGEX "^[1-${WEFT_MOST_SANITIZED_RANKS}]$")
    if(WEFT_MOST_SANITIZED_RANKS IN_LIST test_RANKS)
      list(REMOVE_ITEM test_RANKS 2)
      if(WEFT_SANITIZE MATCHES thread)
        list(REMOVE_ITEM test_RANKS 1)
      endif()
    endif()
  endif()
  foreach(as IN LISTS test_AS)
    foreach(ranks IN LISTS test_RANKS)
      set(environment ${WEFT_TEST_ENVIRONMENT} ${test_ENVIRONMENT})
      set(arguments ${test_ARGUMENTS})
      foreach(list IN ITEMS environment arguments)
        string(REPLACE "{ranks}" "${ranks}" ${list} "${${list}}")
        string(REPLACE "{as}" "${as}" ${list} "${${list}}")
      endforeach()
      if("network" IN_LIST test_LABELS AND WEFT_SANITIZE MATCHES address)
        list(APPEND environment
             LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/leaks_of_network.supp:print_suppressions=0)
      endif()
      if(ranks EQUAL 1)
        set(noun "rank")
      else()
        set(noun "ranks")
      endif()
      set(name "${test_NAME}, ${ranks} ${noun} as ${as}")
      set(limit ${WEFT_LIMIT_QUICK})
      if(ranks GREATER 4 OR "network" IN_LIST test_LABELS)
        set(limit ${WEFT_LIMIT_JOB})
      endif()
      weft_within(within ${limit})
      weft_within_timeout(timeout ${limit})
      if(as STREQUAL "threads")
        add_test(NAME "${name}" COMMAND ${within} $<TARGET_FILE:${program}> ${arguments})
        list(APPEND environment TEST_THREAD_RANKS=${ranks})
      else()
        add_test(NAME "${name}" COMMAND ${within} $<TARGET_FILE:weftrun> -n ${ranks} $<TARGET_FILE:${program}>
                                        ${arguments})
      endif()
      set_tests_properties("${name}" PROPERTIES ENVIRONMENT "${environment}" TIMEOUT ${timeout}
                                                LABELS "${as};${test_LABELS}")
    endforeach()
  endforeach()
endfunction()
