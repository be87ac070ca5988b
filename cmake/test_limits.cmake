# Time limits of tests, in seconds, and what tests cost. Limits only end what hangs, and are some ten times what a test
# takes where four run at a time on two processors. Which one a test has follows from what it is (docs/TESTING.md).
set(WEFT_LIMIT_QUICK 30)   # one process, or a few ranks in shared memory
set(WEFT_LIMIT_JOB 120)    # jobs of many ranks, over networks, or of programs that a script starts
set(WEFT_LIMIT_LONG 600)   # compilers at work, emulated clusters, benchmarks
if(WEFT_SANITIZE)
  set(WEFT_LIMIT_QUICK ${WEFT_LIMIT_JOB})
endif()

# Costs: ctest begins with the largest. It measures them, but a fresh clone has none yet, and ctest cannot keep those of
# names with blanks. What is long, or keeps others waiting, says so itself; otherwise it would run alone at the end.
set(WEFT_COST_LOCK 1000)   # tests of which one or two run at a time, beside others
set(WEFT_COST_LONG 500)    # tests that take half a minute or longer

# weft_within(VARIABLE LIMIT): what to put before the command of a test that starts ranks. After so many seconds their
# stacks are printed, and what they wait for; on a very busy machine later. weft_within_timeout(VARIABLE LIMIT): ctest's
# own limit for such a test.
function(weft_within variable limit)
  set(${variable} $<TARGET_FILE:within> ${limit} ${PROJECT_SOURCE_DIR}/tests/support/stacks.py PARENT_SCOPE)
endfunction()
function(weft_within_timeout variable limit)
  math(EXPR seconds "8 * ${limit} + 90")
  set(${variable} ${seconds} PARENT_SCOPE)
endfunction()
