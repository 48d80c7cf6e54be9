#include <cstring>
#include <mutex>

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
    std::lock_guard lock(mutex_);
    if (device_value_.empty()) {
      RAMET_ASSIGN_OR_RETURN(Tensor copy, c.AllocateTemp(value_.dtype(), value_.shape()));
      if (value_.bytes() > 0) std::memcpy(copy.raw_data(), value_.raw_data(), value_.bytes());
      device_value_ = std::move(copy);
    }
    return device_value_;
  }

  const Tensor value_;
  std::mutex mutex_;
  Tensor device_value_;
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
    // Old graphs write [] for a shape that is not known.
    if (shape.rank() > 0) text += StrCat(" and shape ", shape);
    text += "; values of placeholders are not saved: every run that needs one feeds it";
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
    .Doc(
        "The tensor `value`, whose dtype must be `dtype`.\n"
        "\\error kInvalidArgument if the dtypes differ.")
    .Shape(ConstShape)
    .NotDifferentiable()
    .CpuKernelClass<ConstKernel>();

RAMET_OP("Placeholder")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape = unknown")
    .Doc(
        "A tensor that each run must feed. Dimensions of `shape` that are -1 take any size.\n"
        "\\error kInvalidArgument if it is needed and not fed.")
    .Shape(ShapeFromAttr)
    .NotDifferentiable()
    .CpuKernelClass<PlaceholderKernel>();

RAMET_OP("PlaceholderV2")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .Doc("As Placeholder; `shape` must be given.")
    .Shape(ShapeFromAttr)
    .NotDifferentiable()
    .CpuKernelClass<PlaceholderKernel>();

RAMET_OP("PlaceholderWithDefault")
    .Input("input: dtype")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .Doc(
        "A tensor that a run may feed; `input`, which `shape` must fit, when it does not.\n"
        "\\error kInvalidArgument while building if the shapes do not fit.")
    .Shape(PlaceholderWithDefaultShape)
    .Gradient(PassGradient)
    .CpuKernel(ForwardInput);

}  // namespace ramet
