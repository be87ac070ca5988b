# Half of the time to compile a test goes into GoogleTest's header and the standard library's: they are compiled once.
add_library(weft_test_headers OBJECT ${WEFT_NO_SOURCE})
target_link_libraries(weft_test_headers PRIVATE weft_warnings GTest::gtest Threads::Threads)
target_precompile_headers(weft_test_headers PRIVATE
  <gtest/gtest.h> <algorithm> <array> <atomic> <chrono> <cstring> <fstream> <functional> <map> <memory> <mutex>
  <numeric>
  <random> <sstream> <string> <thread> <vector>)

# weft_precompile_headers_of_tests(FOLDER): for the folder's programs that are C++ alone and link to GoogleTest.
function(weft_precompile_headers_of_tests folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(sources ${target} SOURCES)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    list(FILTER sources INCLUDE REGEX "[.]c$")
    if(type STREQUAL EXECUTABLE AND NOT sources AND libraries MATCHES "weft_test_|GTest::|upcc_test_support")
      target_precompile_headers(${target} REUSE_FROM weft_test_headers)
      # What gcc 12 wrongly thinks of std::string (see weft_warnings); from a precompiled header it says so.
      target_compile_options(${target} PRIVATE
        $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>)
    endif()
  endforeach()
endfunction()
