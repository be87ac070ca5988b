# WEFT_VERSION: the version, which stands in one place, weft/version.h.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../include/weft/version.h line REGEX "define WEFT_VERSION_TEXT")
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" WEFT_VERSION "${line}")

# weft_python_program(SOURCE COPY): a Python program as it is used, with the version in place of @WEFT_VERSION@.
function(weft_python_program source copy)
  configure_file(${source} ${CMAKE_CURRENT_BINARY_DIR}/${copy} @ONLY)
endfunction()
