#pragma once

#include <utility>

#include "ramet/ops/sparse/pieces.h"
#include "ramet/tensor/variant.h"

namespace ramet {

// A SerializedTensor is a tensor in a variant.
struct SerializedTensor final : VariantValue {
  explicit SerializedTensor(Tensor value) : tensor(std::move(value)) {}
  std::string_view type_name() const override { return "tensorflow::Tensor"; }
  const Tensor tensor;
};

// Returns a vector of variants with these tensors, as sparse and ragged components of datasets
// have.
Tensor VariantsOf(std::vector<Tensor> parts);

}  // namespace ramet
