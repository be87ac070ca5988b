# Compiles through ccache where it is installed and nobody asked for another launcher. Trees in different folders share
# results: paths count from the root of each, and precompiled headers are looked into.
find_program(WEFT_CCACHE ccache DOC "Compiler cache; OFF: none")
if(WEFT_CCACHE AND NOT CMAKE_C_COMPILER_LAUNCHER AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
               CCACHE_SLOPPINESS=pch_defines,time_macros ${WEFT_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()
