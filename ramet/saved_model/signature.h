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

// A tensor that a signature names (TensorInfo): a dense one, the three parts of a sparse one, or
// something else, which is carried as it is.
struct SignatureTensor {
  struct Sparse {
    std::string values_tensor_name, indices_tensor_name, dense_shape_tensor_name;
    bool operator==(const Sparse&) const = default;
  };
  std::string name = {};  // "x:0"; "" if it is not a dense tensor
  DType dtype = DType::kInvalid;
  Shape shape = Shape::Unknown();
  std::optional<Sparse> sparse = {};
  // A serialised TensorInfo.CompositeTensor; "" if it is none.
  std::string composite = {};
  bool operator==(const SignatureTensor&) const = default;
};

// A Signature says which tensors are the arguments and results of a model (SignatureDef).
struct Signature {
  std::map<std::string, SignatureTensor> inputs = {};
  std::map<std::string, SignatureTensor> outputs = {};
  std::string method_name = {};
  // Values for inputs that a caller leaves out.
  std::map<std::string, Tensor> defaults = {};
};

// The description of a tensor of a graph (tf.saved_model.build_tensor_info). Reference dtypes
// become plain ones. An invalid output gives an empty description, which the builder refuses.
RAMET_EXPORT SignatureTensor DescribeTensor(const Output& tensor);
// tf.saved_model.build_signature_def of dense tensors.
RAMET_EXPORT Signature MakeSignature(
    const std::map<std::string, Output>& inputs, const std::map<std::string, Output>& outputs,
    std::string_view method_name = saved_model_keys::kPredictMethod);

// Reads a serialised SignatureDef (MetaGraphInfo::signature_defs).
// \error kDataLoss if the bytes are none; kInvalidArgument naming the argument if a shape or a
// default value is malformed.
RAMET_EXPORT StatusOr<Signature> ParseSignature(std::string_view signature_def);

}  // namespace ramet
