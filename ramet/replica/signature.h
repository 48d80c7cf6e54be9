#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/tensor/dtype.h"
#include "ramet/tensor/shape.h"

namespace ramet {

// Describes one published tensor: its name (that of the variable's operation, after renaming), the
// dtype and shape of its values, and where they come from.
struct VariableSpec {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape = {};  // fully defined
  // The variable's name in the trainer's graph. Empty: the same as `name`.
  std::string source = {};
  // The variable's dtype in the trainer's graph if values are converted. kInvalid: same as `dtype`.
  DType source_dtype = DType::kInvalid;
  // For floating-point values sent as int8: the name of the tensor that holds one scale per channel
  // (of source_dtype, as large as the last dimension). A value is the int8 value times its scale.
  std::string scales = {};
  bool operator==(const VariableSpec&) const = default;

  // The name and the dtype of the variable in the trainer's graph.
  const std::string& source_name() const { return source.empty() ? name : source; }
  DType decoded_dtype() const { return source_dtype == DType::kInvalid ? dtype : source_dtype; }
  // Reports whether this entry holds the scales of a variable. Names of operations have no colon.
  bool is_scales() const { return name.find(':') != name.npos; }
};

// The list of published tensors, in the publisher's order.
using ReplicaSignature = std::vector<VariableSpec>;

// Converts a signature to JSON: [{"name": "w", "dtype": "bfloat16", "shape": [2, 3],
// "source": "train/w", "source_dtype": "float"}, ...]. Unset "source", "source_dtype" and "scales"
// are omitted.
std::string SignatureToJson(const ReplicaSignature& signature);
// Parses the JSON that SignatureToJson writes.
// \error kInvalidArgument: `json` is malformed, a name is used twice, a dtype has no fixed size, a
//   shape is partial or too large, or scales are missing or do not fit.
StatusOr<ReplicaSignature> SignatureFromJson(std::string_view json);

// Checks that `offered` has every variable of `wanted`, with a compatible shape and with the dtype
// that followers decode to. Shapes in `wanted` may be partial. `offered` may have more variables.
// \error kFailedPrecondition: something differs. The message lists the first differences.
Status CheckOffers(const ReplicaSignature& offered, const ReplicaSignature& wanted);

}  // namespace ramet
