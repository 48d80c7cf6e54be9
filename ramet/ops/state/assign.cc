#include "ramet/linalg/elementwise.h"
#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/state/declared_shape.h"

namespace ramet {
namespace {

class AssignKernel final : public Kernel {
 public:
  static std::unique_ptr<AssignKernel> Make(const KernelNode& node) {
    return std::make_unique<AssignKernel>(node.attrs->GetOr<bool>("validate_shape", true));
  }
  explicit AssignKernel(bool validate_shape) : validate_shape_(validate_shape) {}

  Status Compute(KernelContext& c) override {
    RAMET_RETURN_IF_ERROR(c.ForwardRef(0, 0));
    const Tensor& value = c.input(1);
    if (validate_shape_) RAMET_RETURN_IF_ERROR(CheckShape(c, value.shape()));
    return c.AssignRef(0, value);
  }

 private:
  static Status CheckShape(KernelContext& c, const Shape& shape) {
    const VariableState& variable = *c.variable(0);
    const Tensor old = c.Read(variable);
    Shape expected = old.empty() ? Shape::Unknown() : old.shape();
    if (old.empty() && c.env().resources != nullptr) {
      expected = DeclaredShape(*c.env().resources, variable).value_or(Shape::Unknown());
    }
    if (expected.IsCompatibleWith(shape)) return OkStatus();
    return InvalidArgument("Assign requires shapes of both tensors to match. lhs shape= ", expected,
                           " rhs shape= ", shape, " (variable '", variable.name(),
                           "'; pass validate_shape=false to allow)");
  }

  const bool validate_shape_;
};

Status AssignShape(ShapeContext& c) {
  if (!c.attrs().GetOr<bool>("validate_shape", true)) {
    c.set_output(0, c.input(1));
    return OkStatus();
  }
  return MergedInputsShape(c);
}

template <linalg::BinaryOp op>
Status Update(KernelContext& c) {
  RAMET_RETURN_IF_ERROR(c.ForwardRef(0, 0));
  const Tensor& value = c.input(1);
  return c.ModifyRef(0, [&](const Tensor& old, Tensor& out) -> Status {
    if (!(old.shape() == value.shape())) {
      return InvalidArgument("Parameters and update must be the same size: variable '",
                             c.variable(0)->name(), "' has shape ", old.shape(),
                             ", the update has shape ", value.shape());
    }
    linalg::Binary(op, LinalgType(old.dtype()), old.raw_data(), value.raw_data(), out.raw_data(),
                   old.num_elements());
    return OkStatus();
  });
}

// The kernel for each of the dtypes; its code does not depend on the dtype.
template <linalg::BinaryOp op>
constexpr auto kUpdate = []<class T>(KernelContext& c) -> Status { return Update<op>(c); };

}  // namespace

RAMET_OP("Assign")
    .Input("ref: Ref(T)")
    .Input("value: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: type")
    .Attr("validate_shape: bool = true")
    .Attr("use_locking: bool = true")
    .Doc(
        "Assigns `value` to the variable and returns the variable. Error: validate_shape is set "
        "and the shape of `value` differs from that of the current value, or, if there is none, "
        "from that of the variable's node.")
    .AllowsUninitializedInput()
    .Shape(AssignShape)
    .NotDifferentiable()
    .CpuKernelClass<AssignKernel>();

#define RAMET_ASSIGN_UPDATE(name, linalg_op, doc)                                                 \
  RAMET_OP(name)                                                                                  \
      .Input("ref: Ref(T)")                                                                       \
      .Input("value: T")                                                                          \
      .Output("output_ref: Ref(T)")                                                               \
      .Attr("T: numbertype")                                                                      \
      .Attr("use_locking: bool = false")                                                          \
      .Doc(doc " Error: the variable is uninitialized (kFailedPrecondition); the shapes differ.") \
      .Shape(MergedInputsShape)                                                                   \
      .NotDifferentiable()                                                                        \
      .CpuKernels<float, double, Half, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,      \
                  uint16_t, uint32_t, uint64_t, std::complex<float>, std::complex<double>>(       \
          kUpdate<linalg::BinaryOp::linalg_op>)

RAMET_ASSIGN_UPDATE("AssignAdd", kAdd, "Adds `value` to the variable and returns the variable.");
RAMET_ASSIGN_UPDATE("AssignSub", kSub,
                    "Subtracts `value` from the variable and returns the variable.");

}  // namespace ramet
