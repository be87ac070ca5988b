# weft_heavy_headers(SOURCE...)
#
# Sources of this folder that include CLI11 or nlohmann/json and do nothing that takes time when it runs: with more
# optimisation they would only take longer to compile.
function(weft_heavy_headers)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -O1)
endfunction()
