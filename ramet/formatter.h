#pragma once

// Formatters for Ramet's types. With a standard library that has std::format, "{}" formats a
// Status, DType, Shape, Tensor, Operation, Output or Variable as operator<< prints it, and takes
// the format of a string: "{:>20}". Programs that use the library fmt include ramet/fmt.h instead.

#include <string>
#include <version>
#ifdef __cpp_lib_format
#include <format>
#endif

#include "ramet/base/status.h"
#include "ramet/graph/operation.h"
#include "ramet/graph/variable.h"
#include "ramet/tensor/dtype.h"
#include "ramet/tensor/shape.h"
#include "ramet/tensor/tensor.h"

namespace ramet::formatter_internal {

template <HasToString T>
std::string Text(const T& value) {
  return value.ToString();
}
inline std::string Text(DType value) { return DTypeName(value); }

// A formatter of T that formats its text with `Base`, the formatter of std::string.
template <class T, class Base>
struct Formatter : Base {
  template <class Context>
  auto format(const T& value, Context& context) const {
    return Base::format(Text(value), context);
  }
};

}  // namespace ramet::formatter_internal

// Defines a formatter of each type in the namespace `format_namespace`: std or fmt.
#define RAMET_DEFINE_FORMATTERS(format_namespace)              \
  RAMET_DEFINE_FORMATTER(format_namespace, ::ramet::Status)    \
  RAMET_DEFINE_FORMATTER(format_namespace, ::ramet::DType)     \
  RAMET_DEFINE_FORMATTER(format_namespace, ::ramet::Shape)     \
  RAMET_DEFINE_FORMATTER(format_namespace, ::ramet::Tensor)    \
  RAMET_DEFINE_FORMATTER(format_namespace, ::ramet::Operation) \
  RAMET_DEFINE_FORMATTER(format_namespace, ::ramet::Output)    \
  RAMET_DEFINE_FORMATTER(format_namespace, ::ramet::Variable)
#define RAMET_DEFINE_FORMATTER(format_namespace, Type) \
  template <>                                          \
  struct format_namespace::formatter<Type>             \
      : ::ramet::formatter_internal::Formatter<Type, format_namespace::formatter<std::string>> {};

#ifdef __cpp_lib_format
RAMET_DEFINE_FORMATTERS(std)
#endif
