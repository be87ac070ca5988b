# Boost.Context, for simulated jobs: its headers, and the three pieces of machine code of its static library that switch
# stacks. They become objects of Weft's own libraries, so that installed programs need nothing of Boost. Sets
# WEFT_CONTEXT_OBJECTS, empty if there is no such library, and for ThreadSanitizer: all simulated ranks are one thread,
# so it has nothing to see there, and does not know that the thread has many stacks.
set(WEFT_CONTEXT_OBJECTS)
if(WEFT_SANITIZE MATCHES thread)
  return()
endif()
find_path(WEFT_BOOST_INCLUDE boost/context/fiber.hpp
          DOC "Folder of boost/context/fiber.hpp; without it there is no conduit sim")
find_library(WEFT_BOOST_CONTEXT NAMES libboost_context.a
             DOC "Boost.Context's static library; without it there is no conduit sim")
if(WEFT_BOOST_INCLUDE AND WEFT_BOOST_CONTEXT)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/boost-context)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${CMAKE_AR} t ${WEFT_BOOST_CONTEXT} OUTPUT_VARIABLE members)
  string(REGEX MATCHALL "(make|jump|ontop)_[A-Za-z0-9_]+\\.o" members "${members}")
  execute_process(COMMAND ${CMAKE_AR} x ${WEFT_BOOST_CONTEXT} ${members} WORKING_DIRECTORY ${folder}
                  RESULT_VARIABLE failed)
  list(LENGTH members count)
  if(failed OR NOT count EQUAL 3)
    message(FATAL_ERROR
            "${WEFT_BOOST_CONTEXT} has not the three pieces of Boost.Context that were expected: ${members}")
  endif()
  list(TRANSFORM members PREPEND ${folder}/ OUTPUT_VARIABLE WEFT_CONTEXT_OBJECTS)
else()
  message(WARNING "boost/context/fiber.hpp or libboost_context.a not found (Debian: libboost-context-dev): "
                  "jobs cannot be simulated")
endif()
