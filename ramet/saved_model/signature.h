#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/graph/operation.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// The standard tags, signature keys, method names and argument names (tf.saved_model).
namespace saved_model_keys {
inline constexpr char kServing[] = "serve";
inline constexpr char kTraining[] = "train";
inline constexpr char kGpu[] = "gpu";
inline constexpr char kDefaultServingSignature[] = "serving_default";
inline constexpr char kPredictMethod[] = "tensorflow/serving/predict";
inline constexpr char kClassifyMethod[] = "tensorflow/serving/classify";
inline constexpr char kRegressMethod[] = "tensorflow/serving/regress";
inline constexpr char kInputs[] = "inputs";
inline constexpr char kOutputs[] = "outputs";
}  // namespace saved_model_keys

// A tensor of a signature (TensorInfo): a dense tensor, the three parts of a sparse one, or a
// composite, which is carried unchanged.
struct SignatureTensor {
  struct Sparse {
    std::string values_tensor_name, indices_tensor_name, dense_shape_tensor_name;
    bool operator==(const Sparse&) const = default;
  };
  std::string name = {};  // "x:0"; empty if it is not a dense tensor
  DType dtype = DType::kInvalid;
  Shape shape = Shape::Unknown();
  std::optional<Sparse> sparse = {};
  // A serialized TensorInfo.CompositeTensor; empty if it is not a composite.
  std::string composite = {};
  bool operator==(const SignatureTensor&) const = default;
};

// A Signature describes the arguments and results of a model (SignatureDef).
struct Signature {
  std::map<std::string, SignatureTensor> inputs = {};
  std::map<std::string, SignatureTensor> outputs = {};
  std::string method_name = {};
  // Values for inputs that a caller omits.
  std::map<std::string, Tensor> defaults = {};
};

// Describes a tensor of a graph (tf.saved_model.build_tensor_info). Reference dtypes become plain
// ones. For an invalid output the description is empty, which the builder refuses.
RAMET_EXPORT SignatureTensor DescribeTensor(const Output& tensor);
// Describes dense tensors as a signature (tf.saved_model.build_signature_def).
RAMET_EXPORT Signature MakeSignature(
    const std::map<std::string, Output>& inputs, const std::map<std::string, Output>& outputs,
    std::string_view method_name = saved_model_keys::kPredictMethod);

// Parses a serialized SignatureDef (MetaGraphInfo::signature_defs).
// \error kDataLoss: the bytes are not a SignatureDef.
// \error kInvalidArgument: a shape or a default value is malformed. The message names the argument.
RAMET_EXPORT StatusOr<Signature> ParseSignature(std::string_view signature_def);
// Returns a signature as a serialized SignatureDef (PublisherOptions::signature_defs).
// \error kInvalidArgument: a composite is not a serialized message, or a default value is not in
//   host memory.
RAMET_EXPORT StatusOr<std::string> SerializeSignature(const Signature& signature);

}  // namespace ramet
