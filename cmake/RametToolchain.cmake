# Warnings, sanitizers, linker, compiler cache: what every target is built with.
add_library(ramet_flags INTERFACE)
target_compile_options(ramet_flags INTERFACE -Wall -Wextra -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # A false positive on std::string concatenation (GCC bug 105651).
  target_compile_options(ramet_flags INTERFACE -Wno-restrict)
endif()

if(RAMET_SANITIZE)
  target_compile_options(ramet_flags INTERFACE -fsanitize=${RAMET_SANITIZE} -fno-omit-frame-pointer
                                               -fno-sanitize-recover=all)
  target_link_options(ramet_flags INTERFACE -fsanitize=${RAMET_SANITIZE})
  target_compile_definitions(ramet_flags INTERFACE RAMET_SANITIZE=1)
endif()

option(RAMET_FUZZ "Build the fuzz programs (clang)" OFF)
if(RAMET_FUZZ)
  target_compile_options(ramet_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# GCC looks for memory that it could use again whenever it has taken 128 MB; there is more than that, and looking takes
# up to a tenth of the time of the longest files.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=600000>)

find_program(RAMET_CCACHE ccache)
if(RAMET_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${RAMET_CCACHE})
  # So that ccache takes files whose headers are precompiled. The precompiled headers themselves it must not keep:
  # GCC knows the files in them by their times, which differ from tree to tree.
  # It knows what a file includes from the compiler (CCACHE_DEPEND), rather than by preprocessing each one first.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=time_macros CCACHE_DEPEND=1 ${RAMET_CCACHE})
endif()

# ramet_precompile(<target> <header>...): what nearly all files of a target include is parsed once. Not with
# sanitizers, so that one of the builds finds files that do not include what they use.
option(RAMET_PRECOMPILE "Precompile headers" ON)
function(ramet_precompile target)
  if(RAMET_PRECOMPILE AND NOT RAMET_SANITIZE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  endif()
endfunction()

find_program(RAMET_MOLD mold)
if(RAMET_MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_link_options(ramet_flags INTERFACE -fuse-ld=mold)
endif()
