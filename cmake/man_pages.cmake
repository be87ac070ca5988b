# weft_man_page(NAME OTHER...): installs docs/man/NAME.1, which describes the programs OTHER, too: `man OTHER` shows it.
function(weft_man_page name)
  set(pages ${PROJECT_SOURCE_DIR}/docs/man/${name}.1)
  foreach(other IN LISTS ARGN)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${other}.1 ".so man1/${name}.1\n")
    list(APPEND pages ${CMAKE_CURRENT_BINARY_DIR}/${other}.1)
  endforeach()
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endfunction()
