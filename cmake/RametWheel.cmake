# The install component `python`: the parts of a wheel other than the Python sources. These are the extension,
# libramet.so, the type stubs, the descriptors, and oneDNN and RE2, which libramet.so loads at run time. They are in one
# folder, which is their RPATH. A RUNPATH would not work, because it does not apply to the dependencies of dependencies.
#
# `pip install .` also needs the shared libraries that a machine without Ramet's build packages lacks, and installs them
# into the same folder. `make package` leaves them to auditwheel.
set(component COMPONENT python)
if(NOT SKBUILD)
  list(APPEND component EXCLUDE_FROM_ALL)  # `make install` installs no Python package
endif()
target_link_options(ramet_python PRIVATE -Wl,--disable-new-dtags)
install(DIRECTORY ${CMAKE_BINARY_DIR}/python/ramet/ DESTINATION ramet ${component} FILES_MATCHING PATTERN "*.pyi")
install(TARGETS ramet_python LIBRARY DESTINATION ramet ${component})
install(TARGETS ramet LIBRARY DESTINATION ramet ${component} NAMELINK_SKIP)
install(FILES ${RAMET_DESCRIPTORS} DESTINATION ramet/core ${component})
find_library(RAMET_ONEDNN_LIBRARY libdnnl.so.2)
if(RAMET_ONEDNN_LIBRARY)
  file(REAL_PATH ${RAMET_ONEDNN_LIBRARY} onednn)
  install(FILES ${onednn} DESTINATION ramet RENAME libdnnl.so.2 ${component})
endif()
install(FILES ${RAMET_RE2_FILE_PATH} DESTINATION ramet RENAME ${RAMET_RE2_LIBRARY} ${component})

if(SKBUILD)
  target_link_options(ramet PRIVATE -Wl,--disable-new-dtags)
  set_target_properties(ramet PROPERTIES INSTALL_RPATH $ORIGIN)
  install(CODE "set(opened \"${onednn};${RAMET_RE2_FILE_PATH}\")" COMPONENT python)
  install(CODE [[
    file(GET_RUNTIME_DEPENDENCIES LIBRARIES $<TARGET_FILE:ramet> ${opened} RESOLVED_DEPENDENCIES_VAR found
         PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|stdc\\+\\+|gcc_s)\\.so")
    foreach(library ${found})
      file(INSTALL ${library} DESTINATION ${CMAKE_INSTALL_PREFIX}/ramet FOLLOW_SYMLINK_CHAIN)
    endforeach()
  ]] COMPONENT python)
endif()
