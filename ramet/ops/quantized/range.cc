#include "ramet/ops/quantized/range.h"

namespace ramet {
namespace {

// Reports whether TensorFlow takes a bound that is not a scalar.
bool IsAccepted(const Tensor& bound, BoundError error) {
  switch (error) {
    case BoundError::kScalarVector: return bound.rank() == 1 && bound.num_elements() == 1;
    case BoundError::kScalarShape:
    case BoundError::kElement: return bound.num_elements() == 1;
    case BoundError::kNotEmpty: return bound.num_elements() > 0;
    default: return false;
  }
}

Status CheckBound(const Tensor& bound, const char* name, BoundError error) {
  if (bound.rank() == 0 || IsAccepted(bound, error)) return OkStatus();
  switch (error) {
    case BoundError::kRank:
      return InvalidArgument(name, " must be rank 0 but is rank ", bound.rank());
    case BoundError::kQuotedRank:
      return InvalidArgument("`", name, "` must be rank 0 but is rank ", bound.rank());
    case BoundError::kShapeRank:
      return InvalidArgument(name, " shape must be rank 0 but is rank ", bound.rank(),
                             ", received shape: ", bound.shape());
    case BoundError::kScalar: return InvalidArgument(name, " must be a scalar");
    case BoundError::kScalarShape:
      return InvalidArgument(name, " must be a scalar, but got shape", bound.shape());
    case BoundError::kScalarVector:
      return InvalidArgument(name, " must be a scalar or a vector of 1 element");
    case BoundError::kNotEmpty: return InvalidArgument(name, " must not be empty.");
    case BoundError::kElement: break;
  }
  return InvalidArgument(name, " must have 1 element");
}

}  // namespace

StatusOr<QuantizedRange> ReadRange(const KernelContext& c, int i, const char* low, const char* high,
                                   BoundError error) {
  RAMET_RETURN_IF_ERROR(CheckBound(c.input(i), low, error));
  RAMET_RETURN_IF_ERROR(CheckBound(c.input(i + 1), high, error));
  return QuantizedRange{c.input(i).data<float>()[0], c.input(i + 1).data<float>()[0]};
}

Status WriteRange(KernelContext& c, int i, QuantizedRange range) {
  for (const float bound : {range.low, range.high}) {
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(i++, kFloat, Shape()));
    y->mutable_data<float>()[0] = bound;
  }
  return OkStatus();
}

StatusOr<std::unique_ptr<Kernel>> TypedKernel::For(const KernelNode& node,
                                                   std::span<const DType> inputs, DType output,
                                                   KernelFunction function) {
  const bool same = node.output_types[0] == output &&
                    std::equal(inputs.begin(), inputs.end(), node.input_types.begin());
  if (same) return std::unique_ptr<Kernel>(std::make_unique<TypedKernel>(function));
  std::string types;
  for (const DType type : inputs) types += StrCat(DTypeName(type), ", ");
  return Unimplemented("No OpKernel was registered to support Op '", node.op,
                       "' with these attrs\nIts inputs must be ", types, "and its output ",
                       DTypeName(output));
}

}  // namespace ramet
