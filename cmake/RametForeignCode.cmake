# ramet_foreign_code(<target>): sets the compile options of third-party code (protobuf, and the output of protoc).
#
# Turns off warnings. Uses the sanitizers of RAMET_SANITIZE except `undefined`, which reports errors in such code.
# All build trees of a machine share the compiler cache entries, except those of files with a precompiled header.
function(ramet_foreign_code target)
  target_compile_options(${target} PRIVATE -w)
  set(sanitizers ${RAMET_SANITIZE})
  string(REPLACE "," ";" sanitizers "${sanitizers}")
  list(REMOVE_ITEM sanitizers undefined fuzzer)
  if(NOT sanitizers)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
  else()
    list(JOIN sanitizers "," sanitizers)
    target_compile_options(${target} PRIVATE -O0 -fsanitize=${sanitizers} -fno-omit-frame-pointer)
  endif()
  if(RAMET_CCACHE)
    set_target_properties(${target} PROPERTIES
      CXX_COMPILER_LAUNCHER "env;CCACHE_BASEDIR=${CMAKE_BINARY_DIR};CCACHE_NOHASHDIR=1;${CMAKE_CXX_COMPILER_LAUNCHER}")
  endif()
endfunction()
