# CPack runs this script on the trees of the Debian packages before they are packed. Brings the documentation into the form
# that Debian's policy asks for, and removes the run paths, because the library is on the system's path.
set(here ${CPACK_RAMET_SOURCE}/cmake/package)

# finish(<usr> <package> <overrides> <manual page> <program>): completes the tree of a package.
function(finish usr package overrides page program)
  set(doc ${usr}/share/doc/${package})
  file(REMOVE_RECURSE ${usr}/share/doc/Ramet)
  file(MAKE_DIRECTORY ${doc} ${usr}/share/lintian/overrides)
  configure_file(${here}/copyright ${doc}/copyright COPYONLY)
  configure_file(${here}/${overrides} ${usr}/share/lintian/overrides/${package} COPYONLY)
  configure_file(${CPACK_RAMET_SOURCE}/CHANGELOG.md ${doc}/changelog COPYONLY)
  set(CPACK_PACKAGE_NAME ${package})
  file(READ ${here}/changelog.in changelog)
  string(CONFIGURE "${changelog}" changelog @ONLY)
  file(WRITE ${doc}/changelog.Debian "${changelog}")
  execute_process(COMMAND gzip -9nf ${doc}/changelog ${doc}/changelog.Debian ${usr}/share/man/man1/${page}
                  COMMAND_ERROR_IS_FATAL ANY)
  file(RPATH_REMOVE FILE ${usr}/bin/${program})
  file(GLOB_RECURSE plain LIST_DIRECTORIES false ${usr}/share/* ${usr}/include/* ${usr}/lib/*)
  file(CHMOD ${plain} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endfunction()

# A folder for each component.
foreach(component Unspecified server)
  set(usr ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  if(NOT EXISTS ${usr})
    continue()
  elseif(component STREQUAL "server")
    finish(${usr} ramet-server lintian-overrides-server ramet-serve.1 ramet-serve)
  else()
    finish(${usr} ramet lintian-overrides ramet.1 ramet)
  endif()
endforeach()
