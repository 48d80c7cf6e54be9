#pragma once

#include <string>
#include <type_traits>

#include "ramet/base/float16.h"
#include "ramet/op/kernel.h"

namespace ramet {

template <class T>
inline constexpr bool kIsShortFloat = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

// The type in which numbers of type T are computed: float for the short floats, otherwise T.
template <class T>
using NumberTypeOf = std::conditional_t<kIsShortFloat<T>, float, T>;

// Returns a number of any real dtype as a To.
template <class To, class From>
To NumberAs(From x) {
  return static_cast<To>(static_cast<NumberTypeOf<From>>(x));
}

// Sets output 0 to `summary`.
inline Status SetSummary(KernelContext& c, std::string summary) {
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DType::kString, Shape()));
  *y->mutable_data<std::string>() = std::move(summary);
  return OkStatus();
}

// Returns the fields of a TensorProto that stores its numbers in tensor_content.
// \error kUnimplemented: the dtype has no bytes.
StatusOr<std::string> TensorBytes(const Tensor& t);

}  // namespace ramet
