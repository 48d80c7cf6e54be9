# The parts of `make install` and the packages that are made from the program (the manual page and the completions), and
# the settings of CPack for the Debian packages (`make package`): ramet, and ramet-server, which alone needs gRPC.
include(GNUInstallDirs)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

set(extras ${CMAKE_BINARY_DIR}/package)
set(man_page ${extras}/ramet.1)
set(program $<TARGET_FILE:ramet_cli>)
add_custom_command(OUTPUT ${man_page}
                   COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/tools/gen_man_page.py ${program} > ${man_page}
                   DEPENDS ramet_cli ${CMAKE_SOURCE_DIR}/tools/gen_man_page.py VERBATIM)
set(completions ${extras}/ramet.bash ${extras}/ramet.zsh ${extras}/ramet.fish)
add_custom_command(OUTPUT ${completions}
                   COMMAND ${program} completion bash > ${extras}/ramet.bash
                   COMMAND ${program} completion zsh > ${extras}/ramet.zsh
                   COMMAND ${program} completion fish > ${extras}/ramet.fish
                   DEPENDS ramet_cli VERBATIM)
add_custom_target(ramet_cli_extras ALL DEPENDS ${man_page} ${completions})
install(FILES ${man_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${extras}/ramet.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ramet)
install(FILES ${extras}/ramet.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _ramet)
install(FILES ${extras}/ramet.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

if(RAMET_BUILD_TESTS)
  add_test(NAME man_page COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/tools/check_man_page.py ${program} ${man_page})
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ramet)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR Ramet)
set(CPACK_PACKAGE_CONTACT "Ramet developers <ramet@localhost>" CACHE STRING "Maintainer of the Debian package")
# CPack would put a CPACK_PACKAGE_DESCRIPTION_SUMMARY before the description of each package.
set(CPACK_DEBIAN_UNSPECIFIED_DESCRIPTION
"train, run, clone and follow TensorFlow 1 graphs
Ramet trains, runs and clones TensorFlow 1 graphs without TensorFlow, and
keeps live copies of a model in sync with its trainer, through shared memory,
checkpoint folders or Redis. It reads and writes TensorFlow's own files.
.
This package contains the C++ library with its headers, the files for CMake
and pkg-config, and the program ramet, which inspects, converts, runs,
publishes and follows models.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
configure_file(${CMAKE_SOURCE_DIR}/cmake/package/shlibs.in ${extras}/shlibs @ONLY)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL Unspecified)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME ramet)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_CONTROL_EXTRA ${extras}/shlibs ${CMAKE_SOURCE_DIR}/cmake/package/triggers)
# Loaded at run time, for regular expressions.
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_DEPENDS ${RAMET_RE2_PACKAGE})
# Loaded at run time if it is there; products and convolutions are slow without it.
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_RECOMMENDS libdnnl2)
# Needed to link the static library.
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SUGGESTS
    "libgif-dev, libhiredis-dev, libicu-dev, libjpeg62-turbo-dev, libleveldb-dev, libpng-dev, libsnappy-dev, libspdlog-dev, libssl-dev, libzstd-dev, nlohmann-json3-dev, zlib1g-dev")
if(TARGET ramet_serve)
  add_dependencies(ramet_cli_extras ramet_serve)  # the manual page has the help of `ramet serve`
  install(FILES ${CMAKE_SOURCE_DIR}/cmake/package/ramet-serve.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT server)
  list(APPEND CPACK_COMPONENTS_ALL server)
  set(CPACK_DEBIAN_SERVER_PACKAGE_NAME ramet-server)
  set(CPACK_DEBIAN_SERVER_DESCRIPTION
"serve models with Ramet, as TensorFlow Serving does
Answers the clients of TensorFlow Serving (gRPC and REST) and of the Open
Inference Protocol. A model that a trainer publishes is always current: an
update needs no load and does not delay requests.")
  set(CPACK_DEBIAN_SERVER_PACKAGE_DEPENDS "ramet (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
endif()
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/package/FinishDebian.cmake)
set(CPACK_RAMET_SOURCE ${CMAKE_SOURCE_DIR})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
