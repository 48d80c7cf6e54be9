#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ramet/base/export.h"
#include "ramet/op/kernel.h"

namespace ramet {

// An EagerValue is an input or a result of eager execution: a tensor, or the handle of a variable.
// Tapes tell values apart by their ids. Copies of a value have the same id.
struct RAMET_EXPORT EagerValue {
  EagerValue() = default;
  explicit EagerValue(Tensor tensor) : value{std::move(tensor), nullptr}, id(NextId()) {}
  // Returns the handle of a new variable without a value, which lives as long as the handle.
  static EagerValue NewVariable(const std::string& name);

  bool exists() const { return id != 0; }
  DType dtype() const { return value.variable ? DType::kResource : value.tensor.dtype(); }
  // Returns a number that no value has yet.
  static int64_t NextId();

  Value value;
  std::shared_ptr<VariableState> owner;  // of value.variable
  int64_t id = 0;
};

// The gradient of an EagerValue: dense, sparse (IndexedSlices) or none.
struct EagerGradient {
  EagerValue values;
  EagerValue indices;      // exists for IndexedSlices
  EagerValue dense_shape;  // may exist for IndexedSlices

  bool exists() const { return values.exists(); }
  bool sparse() const { return indices.exists(); }
};

}  // namespace ramet
