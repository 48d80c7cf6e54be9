# How linalg is compiled (included after its ramet_layer): the files in levels/ are compiled once per instruction set
# level, each time into a separate namespace, including that of Eigen.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)

set(linalg_options -fno-math-errno -fno-trapping-math -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # A loop that is marked as vectorizable need not be vectorized.
  list(APPEND linalg_options -Wno-pass-failed)
else()
  # GCC 12 reports its own AVX-512 intrinsics as uninitialized.
  set(linalg_v4_options -Wno-uninitialized -Wno-maybe-uninitialized)
endif()

get_target_property(linalg_sources ramet_linalg SOURCES)
set(linalg_level_sources ${linalg_sources})
list(FILTER linalg_level_sources INCLUDE REGEX "/linalg/levels/")
list(FILTER linalg_sources EXCLUDE REGEX "/linalg/levels/")
set_target_properties(ramet_linalg PROPERTIES SOURCES "${linalg_sources}")
target_compile_options(ramet_linalg PRIVATE ${linalg_options} ${RAMET_KERNEL_OPTIMIZATION})
target_link_libraries(ramet_linalg PRIVATE ${CMAKE_DL_LIBS})
# Decompositions and special functions are compiled once, for the lowest level.
target_include_directories(ramet_linalg SYSTEM PRIVATE ${EIGEN3_INCLUDE_DIRS})
target_compile_definitions(ramet_linalg PRIVATE EIGEN_DONT_PARALLELIZE EIGEN_MPL2_ONLY)
# Names libgomp, because clang would link its own OpenMP runtime.
target_link_libraries(ramet_linalg PRIVATE gomp)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(linalg_levels v2 v3 v4)
else()
  set(linalg_levels base)
endif()
# Dot products and sums of products may be fused; code that must have TensorFlow's bits is elsewhere.
set(linalg_product_options -ffp-contract=fast)
if(RAMET_SANITIZE)
  list(APPEND linalg_product_options -fno-sanitize=undefined)  # as for Eigen's decompositions below
endif()
foreach(source ${linalg_level_sources})
  if(source MATCHES "/((dot_|packed_)?products|direct_conv|filter_gradient)\\.cc$")
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${linalg_product_options}")
  endif()
endforeach()

# Most of the time to compile these files is Eigen's decompositions. -O2 is as fast for them and takes half as long.
# With a sanitizer, checks of undefined behavior in Eigen's templates would take as long again.
if(RAMET_SANITIZE)
  set(linalg_eigen_files factor least_squares matrix_log matrix_sqrt qr spectral svd_float svd_double svd_complex64
                         svd_complex128)
  set(linalg_eigen_options -fno-sanitize=undefined)
else()
  set(linalg_eigen_files matrix_sqrt svd_float svd_double svd_complex64 svd_complex128)
  set(linalg_eigen_options $<$<CONFIG:Release>:-O2>)
endif()
list(TRANSFORM linalg_eigen_files REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/linalg/\\1.cc")
set_source_files_properties(${linalg_eigen_files} PROPERTIES COMPILE_OPTIONS "${linalg_eigen_options}")

# Optimized in every build type, because a function that is not inlined could be linked into another level.
set(linalg_level_options ${linalg_options} -O3)
if(RAMET_SANITIZE)
  list(APPEND linalg_level_options -O1)
endif()
foreach(level ${linalg_levels})
  set(target ramet_linalg_${level})
  add_library(${target} OBJECT ${linalg_level_sources})
  target_compile_options(${target} PRIVATE ${linalg_level_options} ${linalg_${level}_options})
  target_compile_definitions(${target} PRIVATE RAMET_LEVEL=level_${level} Eigen=Eigen_${level}
                                               EIGEN_DONT_PARALLELIZE EIGEN_MPL2_ONLY)
  if(NOT level STREQUAL "base")
    target_compile_options(${target} PRIVATE -march=x86-64-${level})
  endif()
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/layers/ramet_linalg)
  target_include_directories(${target} SYSTEM PRIVATE ${EIGEN3_INCLUDE_DIRS})
  target_link_libraries(${target} PRIVATE ramet_base ramet_flags)
  target_sources(ramet_linalg PRIVATE $<TARGET_OBJECTS:${target}>)
endforeach()

# (Sanitizers add their own weak symbols.)
if(RAMET_BUILD_TESTS AND NOT RAMET_SANITIZE)
  foreach(level ${linalg_levels})
    add_test(NAME ramet_linalg_${level}_symbols
             COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DLEVEL=${level}
                     "-DOBJECTS=$<TARGET_OBJECTS:ramet_linalg_${level}>"
                     -P ${CMAKE_CURRENT_LIST_DIR}/check_level_symbols.cmake)
  endforeach()
endif()
