#include <cstring>

#include "ramet/base/mutex.h"
#include "ramet/op/op.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/array/identity.h"

namespace ramet {
namespace {

StatusOr<Tensor> ConstValue(const AttrMap& attrs) {
  RAMET_ASSIGN_OR_RETURN(Tensor value, attrs.Get<Tensor>("value"));
  RAMET_ASSIGN_OR_RETURN(DType dtype, attrs.Get<DType>("dtype"));
  if (value.dtype() == dtype) return value;
  return InvalidArgument("Inconsistent dtypes: attr 'value' holds a ", DTypeName(value.dtype()),
                         " tensor, but attr 'dtype' is ", DTypeName(dtype));
}

class ConstKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(Tensor value, ConstValue(*node.attrs));
    return std::make_unique<ConstKernel>(std::move(value));
  }
  explicit ConstKernel(Tensor value) : value_(std::move(value)) {}

  Status Compute(KernelContext& c) override {
    if (c.env().memory == nullptr || DTypeSize(value_.dtype()) == 0) {
      c.SetOutput(0, value_);
      return OkStatus();
    }
    RAMET_ASSIGN_OR_RETURN(Tensor on_device, DeviceValue(c));
    c.SetOutput(0, std::move(on_device));
    return OkStatus();
  }

 private:
  StatusOr<Tensor> DeviceValue(KernelContext& c) {
    MutexLock lock(mutex_);
    if (device_value_.empty()) {
      RAMET_ASSIGN_OR_RETURN(Tensor copy, c.AllocateTemp(value_.dtype(), value_.shape()));
      if (value_.bytes() > 0) std::memcpy(copy.raw_data(), value_.raw_data(), value_.bytes());
      device_value_ = std::move(copy);
    }
    return device_value_;
  }

  const Tensor value_;
  Mutex mutex_;
  Tensor device_value_ RAMET_GUARDED_BY(mutex_);
};

Status ConstShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Tensor value, ConstValue(c.attrs()));
  c.set_output(0, value.shape());
  return OkStatus();
}

class PlaceholderKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(DType dtype, node.attrs->Get<DType>("dtype"));
    const Shape shape = node.attrs->GetOr<Shape>("shape", Shape::Unknown());
    std::string text = StrCat("You must feed a value for placeholder tensor '", node.name,
                              "' with dtype ", DTypeName(dtype));
    // Old graphs write [] for an unknown shape.
    if (shape.rank() > 0) text += StrCat(" and shape ", shape);
    text += "; placeholder values are not saved, so every run that needs one must feed it";
    return std::make_unique<PlaceholderKernel>(std::move(text));
  }
  explicit PlaceholderKernel(std::string text) : text_(std::move(text)) {}
  Status Compute(KernelContext&) override { return InvalidArgument(text_); }

 private:
  const std::string text_;
};

Status ShapeFromAttr(ShapeContext& c) {
  c.set_output(0, c.attrs().GetOr<Shape>("shape", Shape::Unknown()));
  return OkStatus();
}

Status PlaceholderWithDefaultShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(ShapeFromAttr(c));
  return c.output(0).MergeWith(c.input(0)).status();
}

}  // namespace

RAMET_OP("Const")
    .Output("output: dtype")
    .Attr("value: tensor")
    .Attr("dtype: type")
    .Doc("Returns the tensor `value`, whose dtype must be `dtype`. Error: the dtypes differ.")
    .Shape(ConstShape)
    .NotDifferentiable()
    .CpuKernelClass<ConstKernel>();

RAMET_OP("Placeholder")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape = unknown")
    .Doc(
        "A tensor that each run must feed. A dimension of -1 in `shape` takes any size. Error: a "
        "run needs the placeholder but does not feed it.")
    .Shape(ShapeFromAttr)
    .NotDifferentiable()
    .CpuKernelClass<PlaceholderKernel>();

RAMET_OP("PlaceholderV2")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .Doc("Like Placeholder, but `shape` must be given.")
    .Shape(ShapeFromAttr)
    .NotDifferentiable()
    .CpuKernelClass<PlaceholderKernel>();

RAMET_OP("PlaceholderWithDefault")
    .Input("input: dtype")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .Doc(
        "Returns the fed value, or `input` if the run does not feed it. The shape of `input` must "
        "be compatible with `shape`. Error: the shapes are incompatible (reported when the graph "
        "is built).")
    .Shape(PlaceholderWithDefaultShape)
    .Gradient(PassGradient)
    .CpuKernel(ForwardInput);

}  // namespace ramet
