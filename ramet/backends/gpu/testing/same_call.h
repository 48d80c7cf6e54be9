#pragma once

#include <type_traits>

// Comparisons of declarations with those of a vendor's headers.
namespace ramet::gpu::testing {

// Reports whether two types are passed alike: numbers or enums of the same size and signedness, or
// pointers as deep as each other, whose targets may have different names.
template <class A, class B>
constexpr bool PassedAlike() {
  if constexpr (std::is_enum_v<A>) {
    return std::is_same_v<B, int> && sizeof(A) == sizeof(B);
  } else if constexpr (std::is_enum_v<B>) {
    return PassedAlike<B, A>();
  } else if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
    return sizeof(A) == sizeof(B) && std::is_signed_v<A> == std::is_signed_v<B>;
  } else if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {
    using TargetA = std::remove_cv_t<std::remove_pointer_t<A>>;
    using TargetB = std::remove_cv_t<std::remove_pointer_t<B>>;
    constexpr bool is_function = std::is_function_v<TargetA> && std::is_function_v<TargetB>;
    constexpr bool is_object = std::is_class_v<TargetA> && std::is_class_v<TargetB>;
    if constexpr (is_function || is_object) return true;
    return PassedAlike<TargetA, TargetB>();
  }
  return std::is_same_v<A, B>;
}

// True if a function can be called as if it had the other type.
template <class A, class B>
struct SameCall : std::false_type {};
template <class ResultA, class... A, class ResultB, class... B>
requires(sizeof...(A) == sizeof...(B)) struct SameCall<ResultA (*)(A...), ResultB (*)(B...)>
    : std::bool_constant<PassedAlike<ResultA, ResultB>() && (PassedAlike<A, B>() && ...)> {
};

}  // namespace ramet::gpu::testing
