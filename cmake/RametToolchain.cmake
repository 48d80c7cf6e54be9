# The warnings, sanitizers, linker and compiler cache of all targets.
add_library(ramet_flags INTERFACE)
target_compile_options(ramet_flags INTERFACE -Wall -Wextra -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # -Wrestrict has a false positive on std::string concatenation (GCC bug 105651).
  target_compile_options(ramet_flags INTERFACE -Wno-restrict)
endif()

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(ramet_flags INTERFACE -Wthread-safety)  # the annotations of ramet/base/mutex.h
endif()

if(RAMET_SANITIZE)
  target_compile_options(ramet_flags INTERFACE -fsanitize=${RAMET_SANITIZE} -fno-omit-frame-pointer
                                               -fno-sanitize-recover=all)
  target_link_options(ramet_flags INTERFACE -fsanitize=${RAMET_SANITIZE})
  target_compile_definitions(ramet_flags INTERFACE RAMET_SANITIZE=1)
endif()

# Half of the time that clang takes for a file with sanitizers is optimization. Tests, kernels and protobuf do without;
# graphs, plans and their gradients do not, because the generators of tests/fuzz limit the processor time of a case.
if(RAMET_SANITIZE)
  set(RAMET_TEST_OPTIMIZATION -O0)
  set(RAMET_KERNEL_OPTIMIZATION -O0)
else()
  set(RAMET_TEST_OPTIMIZATION $<$<CONFIG:Release>:-O1>)
endif()

option(RAMET_FUZZ "Build the fuzz programs (clang)" OFF)
if(RAMET_FUZZ)
  target_compile_options(ramet_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# By default, GCC collects garbage once its heap has reached 128 MB. That takes up to a tenth of the compile time of the
# largest files, and machines have more memory.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=600000>)

find_program(RAMET_CCACHE ccache)
if(RAMET_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${RAMET_CCACHE})
  # time_macros lets ccache cache files that use precompiled headers. It must not cache the precompiled headers
  # themselves: GCC identifies the files in them by their times, which differ between build trees. With CCACHE_DEPEND,
  # ccache gets the list of included files from the compiler instead of preprocessing each file first.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=time_macros CCACHE_DEPEND=1 ${RAMET_CCACHE})
endif()

# ramet_precompile(<target> <header>...): precompiles headers that nearly all files of a target include.
option(RAMET_PRECOMPILE "Precompile headers" ON)
function(ramet_precompile target)
  if(RAMET_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  endif()
endfunction()

# ramet_unity(<target>): compiles up to eight files of a folder at a time, in the order of their names, so that the
# templates and inline functions that they share are compiled once. A new file moves only later files of its folder to
# other groups. Turn RAMET_UNITY off to rebuild less after a change of one file, and to find files that do not include
# what they use.
option(RAMET_UNITY "Compile several source files at a time" ON)
function(ramet_unity target)
  if(NOT RAMET_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC takes the files of a unity build for headers, whose types must not use unnamed namespaces.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  get_target_property(sources ${target} SOURCES)
  list(SORT sources)
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
    cmake_path(GET folder PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    math(EXPR batch "0${size_of_${folder}} / 8")
    math(EXPR size_of_${folder} "0${size_of_${folder}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${folder}_${batch}")
  endforeach()
endfunction()

find_program(RAMET_MOLD mold)
if(RAMET_MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_link_options(ramet_flags INTERFACE -fuse-ld=mold)
endif()
