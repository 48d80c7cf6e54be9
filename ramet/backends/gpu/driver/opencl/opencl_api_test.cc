// Compares the declarations of opencl_api.h with the system's headers, where they are installed
// (Debian: opencl-c-headers).
#include "ramet/backends/gpu/driver/opencl/opencl_api.h"

#include <gtest/gtest.h>

#if __has_include(<CL/cl.h>)
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <type_traits>

#include "ramet/backends/gpu/driver/opencl/opencl_library.h"

namespace ramet::gpu::opencl {
namespace {

#define RAMET_EXPECT_CONSTANT(name, value) static_assert(CL_##name == api::k_##name);
RAMET_OPENCL_CONSTANTS(RAMET_EXPECT_CONSTANT)

// Reports whether two types are passed alike: equal numbers, or pointers as deep as each other,
// whose targets have different names here.
template <class A, class B>
constexpr bool PassedAlike() {
  if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {
    using TargetA = std::remove_cv_t<std::remove_pointer_t<A>>;
    using TargetB = std::remove_cv_t<std::remove_pointer_t<B>>;
    constexpr bool is_function = std::is_function_v<TargetA> && std::is_function_v<TargetB>;
    constexpr bool is_object = std::is_class_v<TargetA> && std::is_class_v<TargetB>;
    if constexpr (is_function || is_object) return true;
    return PassedAlike<TargetA, TargetB>();
  }
  return std::is_same_v<A, B>;
}

template <class A, class B>
struct SameCall : std::false_type {};
template <class ResultA, class... A, class ResultB, class... B>
requires(sizeof...(A) == sizeof...(B)) struct SameCall<ResultA (*)(A...), ResultB (*)(B...)>
    : std::bool_constant<PassedAlike<ResultA, ResultB>() && (PassedAlike<A, B>() && ...)> {
};

#define RAMET_EXPECT_CALL(result, name, parameters) \
  static_assert(SameCall<decltype(&cl##name), decltype(api::Functions::name)>::value, #name);
RAMET_OPENCL_FUNCTIONS(RAMET_EXPECT_CALL)

static_assert(!SameCall<cl_int (*)(cl_mem), api::Int (*)(api::UInt)>::value);
static_assert(!SameCall<cl_int (*)(cl_mem), api::Int (*)(api::Mem*, api::UInt)>::value);
static_assert(!SameCall<cl_int (*)(size_t*), api::Int (*)(api::UInt*)>::value);

TEST(OpenClApiTest, EqualsTheSystemsHeaders) { SUCCEED() << "checked by the compiler"; }

}  // namespace
}  // namespace ramet::gpu::opencl

#else

TEST(OpenClApiTest, EqualsTheSystemsHeaders) {
  GTEST_SKIP() << "skipped: the headers of OpenCL are not installed (opencl-c-headers)";
}

#endif
