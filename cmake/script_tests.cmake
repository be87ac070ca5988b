# Ranks of MPI libraries keep their processors while they wait, so jobs of them beside other tests take ten to thirty
# times as long as alone. They also look up their host's name, and where neither /etc/hosts nor a name server knows it
# each rank would wait for 5 s. What a test that starts such jobs needs, and the names of such tests of scripts:
function(weft_mpi_test name)
  set_tests_properties("${name}" PROPERTIES RUN_SERIAL ON)
  set_property(TEST "${name}" APPEND PROPERTY ENVIRONMENT RES_OPTIONS=attempts:0)
endfunction()
set(WEFT_MPI_TESTS "(^|_)mpi(ch|run|exec)?(_|$)")

# weft_script_tests(PREFIX SCRIPT [ARGUMENTS ...] [LABELS ...] [EXCEPT regex] [LOCKS ...])
# makes one test, <PREFIX><name>, of each name that SCRIPT --list prints: SCRIPT ARGUMENTS... name; of none that matches
# EXCEPT. Each holds one of the locks while it runs, so no more run at a time than there are locks. A test that exits
# with 77 counts as skipped. tests/support/script_tests.py is that part of a script.
function(weft_script_tests prefix script)
  cmake_parse_arguments(PARSE_ARGV 2 test "" "EXCEPT" "ARGUMENTS;LABELS;LOCKS")
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/${script})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  execute_process(COMMAND ${Python3_EXECUTABLE} ${script} --list OUTPUT_VARIABLE names OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" names "${names}")
  if(test_EXCEPT)
    list(FILTER names EXCLUDE REGEX "${test_EXCEPT}")
  endif()
  foreach(name IN LISTS names)
    set(test "${prefix}${name}")
    add_test(NAME "${test}" COMMAND ${Python3_EXECUTABLE} ${script} ${test_ARGUMENTS} ${name})
    set_tests_properties("${test}" PROPERTIES TIMEOUT ${WEFT_LIMIT_LONG} SKIP_RETURN_CODE 77 LABELS "${test_LABELS}")
    if(name MATCHES "${WEFT_MPI_TESTS}")
      weft_mpi_test("${test}")
    endif()
    if(test_LOCKS)
      list(POP_FRONT test_LOCKS lock)
      list(APPEND test_LOCKS ${lock})
      set_tests_properties("${test}" PROPERTIES RESOURCE_LOCK ${lock} COST ${WEFT_COST_LOCK})
    endif()
  endforeach()
endfunction()
