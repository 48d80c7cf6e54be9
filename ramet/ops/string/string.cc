#include <memory>
#include <string>
#include <string_view>

#include "ramet/op/op.h"

namespace ramet {
namespace {

// Returns the common shape of all inputs that are not scalars.
StatusOr<Shape> JoinedShape(KernelContext& c) {
  Shape shape;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const Shape& other = c.input(i).shape();
    if (other.rank() == 0) continue;
    if (shape.rank() != 0 && !(shape == other)) {
      return InvalidArgument("Input shapes do not match: input ", i, " has shape ", other,
                             ", an earlier input has shape ", shape);
    }
    shape = other;
  }
  return shape;
}

class StringJoinKernel final : public Kernel {
 public:
  static std::unique_ptr<StringJoinKernel> Make(const KernelNode& node) {
    return std::make_unique<StringJoinKernel>(node.attrs->GetOr<std::string>("separator", ""));
  }
  explicit StringJoinKernel(std::string separator) : separator_(std::move(separator)) {}

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const Shape shape, JoinedShape(c));
    RAMET_ASSIGN_OR_RETURN(Tensor * joined, c.Allocate(0, DType::kString, shape));
    std::string* out = joined->mutable_data<std::string>();
    for (int64_t i = 0; i < joined->num_elements(); ++i) {
      for (int k = 0; k < c.num_inputs(); ++k) {
        const Tensor& part = c.input(k);
        if (k > 0) out[i] += separator_;
        out[i] += part.data<std::string>()[part.rank() == 0 ? 0 : i];
      }
    }
    return OkStatus();
  }

 private:
  const std::string separator_;
};

Status StringJoinShape(ShapeContext& c) {
  Shape shape;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const Shape& other = c.input(i);
    if (other.unknown_rank()) return OkStatus();
    if (other.rank() == 0) continue;
    if (shape.rank() == 0) {
      shape = other;
    } else {
      RAMET_ASSIGN_OR_RETURN(shape, shape.MergeWith(other));
    }
  }
  c.set_output(0, shape);
  return OkStatus();
}

}  // namespace

RAMET_OP("StringJoin")
    .Input("inputs: N * string")
    .Output("output: string")
    .Attr("N: int >= 0")
    .Attr("separator: string = ''")
    .Doc(
        "Returns the concatenation of the strings of the inputs, element by element, with "
        "`separator` between them. Scalars are combined with every element of the other inputs, "
        "which must have the same shape. Error: the shapes differ.")
    .HostMemory({"inputs", "output"})
    .Shape(StringJoinShape)
    .NotDifferentiable()
    .CpuKernelClass<StringJoinKernel>();

}  // namespace ramet
