#pragma once

#include <string_view>

#include "ramet/op/op.h"

// Defines ops of this layer in terms of others that they share their kernels with. An op must be
// registered before its twin, so that both stand in one file.
namespace ramet {

// Defines the op `name` ("Sparse" followed by the name of a registered op) as that op for the rows
// that an input `indices` behind the gradient names.
OpBuilder SparseTwin(OpBuilder builder, std::string_view name, ShapeFn shape);
#define RAMET_SPARSE_TWIN(name, ...)                                                        \
  [[maybe_unused]] static const ::ramet::OpRegistrar RAMET_CONCAT(ramet_op_, __COUNTER__) = \
      ::ramet::SparseTwin(::ramet::OpBuilder(name), name, __VA_ARGS__)

// Defines the op `name` ("Resource" followed by the name of a registered op) as that op for
// resource variables: with handles instead of references, and without an output.
OpBuilder ResourceTwin(OpBuilder builder, std::string_view name);
#define RAMET_RESOURCE_TWIN(name)                                                           \
  [[maybe_unused]] static const ::ramet::OpRegistrar RAMET_CONCAT(ramet_op_, __COUNTER__) = \
      ::ramet::ResourceTwin(::ramet::OpBuilder(name), name)

}  // namespace ramet
