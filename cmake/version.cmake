# WEFT_VERSION: the version, which stands in one place, weft/version.h.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../include/weft/version.h line REGEX "define WEFT_VERSION_TEXT")
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" WEFT_VERSION "${line}")
