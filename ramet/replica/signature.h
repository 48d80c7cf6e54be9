#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/tensor/dtype.h"
#include "ramet/tensor/shape.h"

namespace ramet {

// One published tensor: its name (of the variable's operation, after renaming), what each of its
// values is, and what it was made from.
struct VariableSpec {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape = {};  // fully defined
  // The variable's name in the trainer's graph; empty: `name`.
  std::string source = {};
  // Its dtype there, if values are converted; kInvalid: `dtype`.
  DType source_dtype = DType::kInvalid;
  // Of int8 values that were floating ones: the name of the tensor (of source_dtype, of the size of
  // the last dimension) by which each channel is multiplied to have the variable's values.
  std::string scales = {};
  bool operator==(const VariableSpec&) const = default;

  // What it is at the trainer.
  const std::string& source_name() const { return source.empty() ? name : source; }
  DType decoded_dtype() const { return source_dtype == DType::kInvalid ? dtype : source_dtype; }
  // Whether it is no variable, but the scales of one: names of operations have no colon.
  bool is_scales() const { return name.find(':') != name.npos; }
};

// What a publisher publishes, in its order.
using ReplicaSignature = std::vector<VariableSpec>;

// As JSON: [{"name": "w", "dtype": "bfloat16", "shape": [2, 3], "source": "train/w",
// "source_dtype": "float"}, ...]; "source", "source_dtype" and "scales" only where they say
// something.
std::string SignatureToJson(const ReplicaSignature& signature);
// \error kInvalidArgument if it is not such a text, a name comes twice, a dtype has no fixed size,
// a shape is partial or too large, or scales are missing or do not fit.
StatusOr<ReplicaSignature> SignatureFromJson(std::string_view json);

// Whether `offered` has all that `wanted` needs, with its shapes and with dtypes that followers
// decode to its (those of `wanted` may
// be partial). Others may be there beside. \error kFailedPrecondition naming the first differences.
Status CheckOffers(const ReplicaSignature& offered, const ReplicaSignature& wanted);

}  // namespace ramet
