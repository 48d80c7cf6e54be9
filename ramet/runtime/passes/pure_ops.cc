#include "ramet/runtime/passes/pure_ops.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>

#include "ramet/op/control_flow.h"

namespace ramet {
namespace {

// Ops that are pure but not foldable (OpBuilder::Foldable): their work is not linear in the sizes
// of their tensors, or shape inference does not need them.
const std::unordered_set<std::string_view>& OtherPureOps() {
  static auto* const ops =
      new std::unordered_set<std::string_view>{"PlaceholderWithDefault",
                                               "MatMul",
                                               "BatchMatMul",
                                               "BatchMatMulV2",
                                               "BatchMatMulV3",
                                               "Einsum",
                                               "Conv2D",
                                               "Conv2DBackpropInput",
                                               "Conv2DBackpropFilter",
                                               "DepthwiseConv2dNative",
                                               "DepthwiseConv2dNativeBackpropInput",
                                               "DepthwiseConv2dNativeBackpropFilter",
                                               "Conv3D",
                                               "Conv3DBackpropInputV2",
                                               "Conv3DBackpropFilterV2",
                                               "MaxPool",
                                               "MaxPoolGrad",
                                               "AvgPool",
                                               "AvgPoolGrad",
                                               "BiasAdd",
                                               "BiasAddGrad",
                                               "Relu",
                                               "ReluGrad",
                                               "Relu6",
                                               "Relu6Grad",
                                               "Elu",
                                               "EluGrad",
                                               "Selu",
                                               "SeluGrad",
                                               "LeakyRelu",
                                               "LeakyReluGrad",
                                               "Softplus",
                                               "SoftplusGrad",
                                               "Softsign",
                                               "SoftsignGrad",
                                               "Softmax",
                                               "LogSoftmax",
                                               "SoftmaxCrossEntropyWithLogits",
                                               "SparseSoftmaxCrossEntropyWithLogits",
                                               "L2Loss",
                                               "FusedBatchNorm",
                                               "FusedBatchNormV2",
                                               "FusedBatchNormV3",
                                               "FusedBatchNormGrad",
                                               "FusedBatchNormGradV2",
                                               "FusedBatchNormGradV3",
                                               "LRN",
                                               "LRNGrad",
                                               "TopKV2",
                                               "UnsortedSegmentSum",
                                               "Cumsum",
                                               "Cumprod"};
  return *ops;
}

constexpr std::array<std::string_view, 7> kForwarding = {
    "Identity", "StopGradient", "PreventGradient", "Snapshot", "PlaceholderWithDefault",
    "Print",    "PrintV2"};

constexpr std::array<std::string_view, 26> kKeepingShape = {
    "Abs",        "Neg",       "Sign",     "Square",     "Sqrt",    "Rsqrt", "Exp",
    "Log",        "Sin",       "Cos",      "Tanh",       "Sigmoid", "Relu",  "Relu6",
    "Elu",        "Selu",      "Softplus", "Softsign",   "Floor",   "Ceil",  "Erf",
    "LogicalNot", "ZerosLike", "OnesLike", "Reciprocal", "Inv"};

}  // namespace

bool IsPure(const Op& op) {
  if (!op.registered() || op.schema().is_stateful || op.calls_program()) return false;
  if (ControlFlowOf(op) != ControlFlow::kNone) return false;
  return op.foldable() || OtherPureOps().contains(op.name());
}

bool ForwardsVariables(const Op& op) {
  return std::ranges::find(kForwarding, op.name()) != kForwarding.end();
}

bool KeepsShape(const Op& op) {
  return std::ranges::find(kKeepingShape, op.name()) != kKeepingShape.end();
}

}  // namespace ramet
