#include "ramet/linalg/cast.h"
#include "ramet/op/op.h"
#include "ramet/ops/array/identity.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

namespace ramet {
namespace {

bool Castable(DType t) { return IsFloating(t) || IsInteger(t) || IsComplex(t) || t == kBool; }

class CastKernel final : public Kernel {
 public:
  CastKernel(DType from, DType to) : from_(from), to_(to) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const DType from = BaseType(node.attrs->GetOr("SrcT", DType::kInvalid));
    const DType to = BaseType(node.attrs->GetOr("DstT", DType::kInvalid));
    if (from != to && !(Castable(from) && Castable(to))) {
      return Unimplemented("Cast ", DTypeName(from), " to ", DTypeName(to), " is not supported");
    }
    return std::unique_ptr<Kernel>(std::make_unique<CastKernel>(from, to));
  }

  Status Compute(KernelContext& c) override {
    if (from_ == to_) return ForwardValue(c, 0);
    const Tensor& x = c.input(0);
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, to_, x.shape()));
    linalg::Cast(LinalgType(x.dtype()), x.raw_data(), LinalgType(to_), y->raw_data(),
                 x.num_elements());
    return OkStatus();
  }

 private:
  const DType from_, to_;
};

// Gradients exist only between floating and complex types.
Status CastGradient(GradientContext& c) {
  const auto smooth = [](DType t) { return IsFloating(t) || IsComplex(t); };
  const DType from = BaseType(c.input(0).dtype());
  if (!smooth(from) || !smooth(BaseType(c.output().dtype()))) return NoGradient(c);
  return c.Return({Cast(c, c.grad(), from)});
}

RAMET_OP("Cast")
    .Foldable()
    .Input("x: SrcT")
    .Output("y: DstT")
    .Attr("SrcT: type")
    .Attr("DstT: type")
    .Attr("Truncate: bool = false")
    .Doc(
        "Returns the elements of x converted to DstT. Floating to integer drops the fraction; a "
        "value that does not fit becomes an unspecified number. Complex to real drops the "
        "imaginary part. To bool is x != 0. To a shorter floating type rounds to nearest. y has "
        "the shape of x. If the types are equal, y is x, which may be a handle. Error: one of the "
        "types is neither a number nor bool (kUnimplemented).")
    .Shape(UnchangedShape)
    .Gradient(CastGradient)
    .CpuKernelClass<CastKernel>();

}  // namespace
}  // namespace ramet
