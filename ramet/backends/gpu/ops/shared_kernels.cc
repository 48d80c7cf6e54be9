#include <span>
#include <string_view>

#include "ramet/backends/gpu/launch.h"
#include "ramet/backends/gpu/ops/cpu_kernels.h"
#include "ramet/backends/gpu/ops/device_variables.h"
#include "ramet/backends/gpu/ops/type_sets.h"
#include "ramet/op/op.h"

// Ops whose kernels are written once for all devices: they check their arguments and compute shapes
// on the host, and touch elements only through op/tensor_math.h.

namespace ramet::gpu {
namespace {

constexpr DType kAnyType[] = {DType::kInvalid};  // no constraint
constexpr DType kElementTypes[] = {kFloat, kHalf,  kBFloat16, kDouble, kInt8,   kInt16, kInt32,
                                   kInt64, kUInt8, kUInt16,   kUInt32, kUInt64, kBool,  kComplex64};
constexpr DType kNormTypes[] = {kFloat, kHalf, kBFloat16};
constexpr DType kConvTypes[] = {kFloat, kHalf, kBFloat16, kDouble, kInt32};
constexpr DType kPoolTypes[] = {kFloat, kHalf,  kBFloat16, kDouble, kInt8,
                                kInt16, kInt32, kInt64,    kUInt8,  kUInt16};
// The types for which GPUs have atomic extremes.
constexpr DType kComparedTypes[] = {kFloat, kHalf,  kBFloat16, kDouble, kInt8,
                                    kInt16, kInt32, kInt64,    kUInt8,  kUInt16};
constexpr DType kClippedTypes[] = {kFloat, kHalf,  kBFloat16, kDouble, kInt8,
                                   kInt16, kInt32, kInt64,    kUInt8,  kUInt16};
constexpr DType kScatterTypes[] = {kFloat, kHalf, kBFloat16, kDouble, kInt32, kInt64};
constexpr DType kIndexTypes[] = {kInt32, kInt64};
constexpr DType kDrawnIntTypes[] = {kInt32, kInt64, kUInt32, kUInt64};

// The kernels of an op for the dtypes of an attr.
struct SharedOp {
  std::string_view op;
  std::string_view type_attr;
  std::span<const DType> dtypes;
};

constexpr SharedOp kSharedOps[] = {
    {"BatchToSpace", "", kAnyType},
    {"BatchToSpaceND", "", kAnyType},
    {"BroadcastTo", "", kAnyType},
    {"Concat", "", kAnyType},
    {"ConcatV2", "", kAnyType},
    {"ConjugateTranspose", "T", kAllTypes},
    {"DeepCopy", "", kAnyType},
    {"DepthToSpace", "", kAnyType},
    {"Fill", "", kAnyType},
    {"MirrorPad", "", kAnyType},
    {"MirrorPadGrad", "T", kRealTypes},
    {"OneHot", "T", kElementTypes},
    {"OnesLike", "T", kElementTypes},
    {"Pack", "", kAnyType},
    {"Pad", "", kAnyType},
    {"PadV2", "", kAnyType},
    {"Reverse", "", kAnyType},
    {"ReverseSequence", "", kAnyType},
    {"ReverseV2", "", kAnyType},
    {"Roll", "", kAnyType},
    {"Select", "T", kElementTypes},
    {"SelectV2", "T", kElementTypes},
    {"Slice", "", kAnyType},
    {"SpaceToBatch", "", kAnyType},
    {"SpaceToBatchND", "", kAnyType},
    {"SpaceToDepth", "", kAnyType},
    {"Split", "", kAnyType},
    {"SplitV", "", kAnyType},
    {"StridedSlice", "", kAnyType},
    {"StridedSliceGrad", "", kAnyType},
    {"Tile", "", kAnyType},
    {"Transpose", "", kAnyType},
    {"Unpack", "", kAnyType},
    {"ZerosLike", "", kAnyType},
    {"Gather", "Tindices", kIndexTypes},
    {"GatherNd", "Tindices", kIndexTypes},
    {"GatherV2", "Tindices", kIndexTypes},
    {"ScatterNd", "T", kRealTypes},
    {"ScatterNdNonAliasingAdd", "T", kRealTypes},
    {"TensorScatterAdd", "T", kRealTypes},
    {"TensorScatterSub", "T", kRealTypes},
    {"TensorScatterUpdate", "T", kElementTypes},
    {"UnsortedSegmentMax", "T", kComparedTypes},
    {"UnsortedSegmentMin", "T", kComparedTypes},
    {"UnsortedSegmentProd", "T", kRealTypes},
    {"UnsortedSegmentSum", "T", kRealTypes},
    {"All", "", kAnyType},
    {"Any", "", kAnyType},
    {"ArgMax", "T", kAllTypes},
    {"ArgMin", "T", kAllTypes},
    {"BatchMatMul", "T", kConvTypes},
    {"BatchMatMulV2", "T", kConvTypes},
    {"EuclideanNorm", "T", kFloatTypes},
    {"Cumprod", "T", kRealTypes},
    {"Cumsum", "T", kRealTypes},
    {"SegmentMax", "T", kRealTypes},
    {"SegmentMean", "T", kRealTypes},
    {"SegmentMin", "T", kRealTypes},
    {"SegmentProd", "T", kRealTypes},
    {"SegmentSum", "T", kRealTypes},
    {"TopK", "T", kRealTypes},
    {"TopKV2", "T", kRealTypes},
    {"AvgPool", "T", kFloatTypes},
    {"AvgPool3D", "T", kFloatTypes},
    {"AvgPool3DGrad", "T", kFloatTypes},
    {"AvgPoolGrad", "T", kFloatTypes},
    {"BiasAddGrad", "T", kRealTypes},
    {"ClipByValue", "T", kClippedTypes},
    {"Conv2D", "T", kConvTypes},
    {"Conv2DBackpropFilter", "T", kFloatTypes},
    {"Conv2DBackpropInput", "T", kConvTypes},
    {"Conv3D", "T", kFloatTypes},
    {"Conv3DBackpropFilterV2", "T", kFloatTypes},
    {"Conv3DBackpropInputV2", "T", kFloatTypes},
    {"DepthwiseConv2dNative", "T", kFloatTypes},
    {"DepthwiseConv2dNativeBackpropFilter", "T", kFloatTypes},
    {"DepthwiseConv2dNativeBackpropInput", "T", kFloatTypes},
    {"FusedBatchNorm", "", kAnyType},
    {"FusedBatchNormGrad", "", kAnyType},
    {"FusedBatchNormGradV2", "T", kNormTypes},
    {"FusedBatchNormGradV3", "T", kNormTypes},
    {"FusedBatchNormV2", "T", kNormTypes},
    {"FusedBatchNormV3", "T", kNormTypes},
    {"L2Loss", "T", kFloatTypes},
    {"LRN", "T", kNormTypes},
    {"LRNGrad", "T", kNormTypes},
    {"LogSoftmax", "T", kFloatTypes},
    {"MaxPool", "T", kPoolTypes},
    {"MaxPool3D", "T", kFloatTypes},
    {"MaxPool3DGrad", "T", kFloatTypes},
    {"MaxPool3DGradGrad", "T", kRealTypes},
    {"MaxPoolGrad", "T", kRealTypes},
    {"MaxPoolGradGrad", "T", kRealTypes},
    {"MaxPoolGradGradV2", "T", kRealTypes},
    {"MaxPoolGradV2", "T", kRealTypes},
    {"MaxPoolGradWithArgmax", "T", kRealTypes},
    {"MaxPoolV2", "T", kPoolTypes},
    {"MaxPoolWithArgmax", "T", kRealTypes},
    {"Softmax", "T", kFloatTypes},
    {"SoftmaxCrossEntropyWithLogits", "T", kFloatTypes},
    {"SparseSoftmaxCrossEntropyWithLogits", "T", kFloatTypes},
    {"Multinomial", "T", kRealTypes},
    {"RandomShuffle", "T", kElementTypes},
    {"RandomStandardNormal", "dtype", kFloatTypes},
    {"RandomUniform", "dtype", kFloatTypes},
    {"RandomUniformInt", "Tout", kIndexTypes},
    {"StatelessMultinomial", "T", kRealTypes},
    {"StatelessRandomNormal", "dtype", kFloatTypes},
    {"StatelessRandomNormalV2", "dtype", kFloatTypes},
    {"StatelessRandomUniform", "dtype", kFloatTypes},
    {"StatelessRandomUniformFullInt", "dtype", kDrawnIntTypes},
    {"StatelessRandomUniformFullIntV2", "dtype", kDrawnIntTypes},
    {"StatelessRandomUniformInt", "dtype", kIndexTypes},
    {"StatelessRandomUniformIntV2", "dtype", kDrawnIntTypes},
    {"StatelessRandomUniformV2", "dtype", kFloatTypes},
    {"StatelessTruncatedNormal", "dtype", kFloatTypes},
    {"StatelessTruncatedNormalV2", "dtype", kFloatTypes},
    {"TruncatedNormal", "dtype", kFloatTypes},
};

// Ops that read or update the variable of input 0.
constexpr SharedOp kVariableOps[] = {
    {"ResourceGather", "Tindices", kIndexTypes},
    {"ResourceGatherNd", "Tindices", kIndexTypes},
    {"ResourceScatterAdd", "dtype", kRealTypes},
    {"ResourceScatterDiv", "dtype", kFloatTypes},
    {"ResourceScatterMax", "dtype", kComparedTypes},
    {"ResourceScatterMin", "dtype", kComparedTypes},
    {"ResourceScatterMul", "dtype", kRealTypes},
    {"ResourceScatterNdAdd", "T", kRealTypes},
    {"ResourceScatterNdMax", "T", kComparedTypes},
    {"ResourceScatterNdMin", "T", kComparedTypes},
    {"ResourceScatterNdSub", "T", kRealTypes},
    {"ResourceScatterNdUpdate", "T", kElementTypes},
    {"ResourceScatterSub", "dtype", kRealTypes},
    {"ResourceScatterUpdate", "dtype", kElementTypes},
    {"ScatterAdd", "T", kRealTypes},
    {"ScatterDiv", "T", kFloatTypes},
    {"ScatterMax", "T", kScatterTypes},
    {"ScatterMin", "T", kScatterTypes},
    {"ScatterMul", "T", kRealTypes},
    {"ScatterNdAdd", "T", kRealTypes},
    {"ScatterNdMax", "T", kComparedTypes},
    {"ScatterNdMin", "T", kComparedTypes},
    {"ScatterNdSub", "T", kRealTypes},
    {"ScatterNdUpdate", "T", kElementTypes},
    {"ScatterSub", "T", kRealTypes},
    {"ScatterUpdate", "T", kElementTypes},
};

// Moves the variable to the device, then runs the kernel.
class VariableKernel final : public Kernel {
 public:
  explicit VariableKernel(std::unique_ptr<Kernel> kernel) : kernel_(std::move(kernel)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(auto kernel, MakeCpuKernel(node));
    return std::unique_ptr<Kernel>(std::make_unique<VariableKernel>(std::move(kernel)));
  }
  Status Compute(KernelContext& c) override {
    RAMET_RETURN_IF_ERROR(MoveVariableToDevice(c, 0));
    return kernel_->Compute(c);
  }

 private:
  const std::unique_ptr<Kernel> kernel_;
};

void Register(std::span<const SharedOp> ops, KernelFactory factory) {
  for (const SharedOp& shared : ops) {
    for (DType dtype : shared.dtypes) {
      KernelRegistrar(shared.op, {"GPU", shared.type_attr, dtype, factory, nullptr});
    }
  }
}

[[maybe_unused]] const bool shared_kernels_registered = [] {
  Register(kSharedOps, &MakeCpuKernel);
  Register(kVariableOps, &VariableKernel::Make);
  return true;
}();

}  // namespace
}  // namespace ramet::gpu
