# Installs the parts of the wheel other than the Python sources: the extension, libramet.so, the type stubs, the
# descriptors, and the shared libraries that a machine without Ramet's build packages lacks. They are all in one folder,
# which is their RPATH. A RUNPATH would not work, because it does not apply to the dependencies of dependencies.
target_link_options(ramet_python PRIVATE -Wl,--disable-new-dtags)
target_link_options(ramet PRIVATE -Wl,--disable-new-dtags)
set_target_properties(ramet PROPERTIES INSTALL_RPATH $ORIGIN)
install(DIRECTORY ${CMAKE_BINARY_DIR}/python/ramet/ DESTINATION ramet COMPONENT python FILES_MATCHING PATTERN "*.pyi")
install(TARGETS ramet_python LIBRARY DESTINATION ramet COMPONENT python)
install(TARGETS ramet LIBRARY DESTINATION ramet COMPONENT python NAMELINK_SKIP)
install(FILES ${RAMET_DESCRIPTORS} DESTINATION ramet/core COMPONENT python)
install(CODE [[
  file(GET_RUNTIME_DEPENDENCIES LIBRARIES $<TARGET_FILE:ramet> RESOLVED_DEPENDENCIES_VAR found
       PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|stdc\\+\\+|gcc_s)\\.so")
  foreach(library ${found})
    file(INSTALL ${library} DESTINATION ${CMAKE_INSTALL_PREFIX}/ramet FOLLOW_SYMLINK_CHAIN)
  endforeach()
]] COMPONENT python)
