#include <limits>

#include "ramet/base/mutex.h"
#include "ramet/gradients/gradient_context.h"
#include "ramet/linalg/elementwise.h"
#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/state/handle.h"

namespace ramet {
namespace {

// The shared_name that TensorFlow gives to handles without a name (ResourceHandle::ANONYMOUS_NAME).
constexpr char kAnonymous[] = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";

// Creates a new variable at each execution, which lives as long as the session.
class AnonymousVarHandleKernel final : public Kernel {
 public:
  Status Compute(KernelContext& c) override {
    MutexLock lock(mutex_);
    variables_.push_back(
        std::make_unique<VariableState>(StrCat("_AnonymousVar", variables_.size())));
    c.SetRefOutput(0, variables_.back().get());
    return OkStatus();
  }

 private:
  Mutex mutex_;
  std::vector<std::unique_ptr<VariableState>> variables_ RAMET_GUARDED_BY(mutex_);
};

class VarHandleKernel final : public Kernel {
 public:
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    const auto name = node.attrs->GetOr<std::string>("shared_name", "");
    if (name == kAnonymous) return std::make_unique<AnonymousVarHandleKernel>();
    return std::make_unique<VarHandleKernel>(node.attrs->GetOr<std::string>("container", ""), name);
  }
  VarHandleKernel(std::string_view container, std::string name)
      : container_(ResourceContainer(container)), name_(std::move(name)) {}

  Status Compute(KernelContext& c) override {
    std::call_once(looked_up_,
                   [&] { variable_ = c.env().resources->FindOrCreateVariable(container_, name_); });
    c.SetRefOutput(0, variable_.get());
    return OkStatus();
  }

 private:
  const std::string container_, name_;
  std::once_flag looked_up_;
  std::shared_ptr<VariableState> variable_;
};

// A kernel that passes the attr "dtype" to `compute`.
template <Status (*compute)(KernelContext& c, DType dtype)>
class TypedKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(DType dtype, node.attrs->Get<DType>("dtype"));
    return std::make_unique<TypedKernel>(dtype);
  }
  explicit TypedKernel(DType dtype) : dtype_(dtype) {}
  Status Compute(KernelContext& c) override { return compute(c, dtype_); }

 private:
  const DType dtype_;
};

Status NothingToRead(const std::string& name) {
  return FailedPrecondition(
      "Could not find variable ", name,
      ". This could mean that the variable has been deleted. In TF1, it can also mean the variable "
      "is uninitialized; restore a checkpoint or run its initializer "
      "(Session::InitializeMissing, in Python session.initialize_missing(), initializes only "
      "uninitialized variables). Debug info: container=localhost, status error message=Resource "
      "localhost/",
      name, "/N10tensorflow3VarE does not exist.");
}

Status Read(KernelContext& c, DType dtype) {
  auto value = ReadHandle(c, 0, dtype);
  if (value.ok()) {
    c.SetOutput(0, *std::move(value));
    return OkStatus();
  }
  return IsNotFound(value.status()) ? NothingToRead(c.variable(0)->name()) : value.status();
}

// Has no effect: readers share the buffer of the value, because a variable copies on write.
Status DisableCopyOnRead(KernelContext& c) {
  const Status target = TakeTarget(c);
  return IsNotFound(target) ? NothingToRead(c.variable(0)->name()) : target;
}

class AssignVariableKernel final : public Kernel {
 public:
  static std::unique_ptr<AssignVariableKernel> Make(const KernelNode& node) {
    return std::make_unique<AssignVariableKernel>(node.attrs->GetOr<bool>("validate_shape", false));
  }
  explicit AssignVariableKernel(bool validate_shape) : validate_shape_(validate_shape) {}

  Status Compute(KernelContext& c) override {
    const Tensor& value = c.input(1);
    if (const VariableState* variable = c.variable(0)) {
      const Tensor old = c.Read(*variable);
      if (!old.empty()) {
        RAMET_RETURN_IF_ERROR(CheckVariableType("assign", old.dtype(), value.dtype()));
      }
      if (validate_shape_ && !old.empty() && !(old.shape() == value.shape())) {
        return InvalidArgument(
            "Trying to assign to variable with tensor with wrong shape. Expected ", old.shape(),
            " got ", value.shape(), " (variable '", variable->name(), "')");
      }
    }
    return c.AssignRef(0, value);
  }

 private:
  const bool validate_shape_;
};

template <linalg::BinaryOp op>
Status UpdateResource(KernelContext& c) {
  RAMET_RETURN_IF_ERROR(TakeTarget(c));
  const Tensor& value = c.input(1);
  return c.ModifyRef(0, [&](const Tensor& old, Tensor& out) -> Status {
    RAMET_RETURN_IF_ERROR(CheckVariableType("update", value.dtype(), old.dtype()));
    if (!(old.shape() == value.shape())) {
      return InvalidArgument("Cannot update variable with shape ", old.shape(),
                             " using a Tensor with shape ", value.shape(),
                             ", shapes must be equal. (variable '", c.variable(0)->name(), "')");
    }
    linalg::Binary(op, LinalgType(old.dtype()), old.raw_data(), value.raw_data(), out.raw_data(),
                   old.num_elements());
    return OkStatus();
  });
}

// The kernel for each of the dtypes; its code does not depend on the dtype.
template <linalg::BinaryOp op>
constexpr auto kUpdateResource =
    []<class T>(KernelContext& c) -> Status { return UpdateResource<op>(c); };

Status IsInitialized(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DType::kBool, Shape()));
  *y->mutable_data<bool>() = c.variable(0) != nullptr && !c.Read(*c.variable(0)).empty();
  return OkStatus();
}

class DestroyResourceKernel final : public Kernel {
 public:
  static std::unique_ptr<DestroyResourceKernel> Make(const KernelNode& node) {
    return std::make_unique<DestroyResourceKernel>(
        node.attrs->GetOr<bool>("ignore_lookup_error", true));
  }
  explicit DestroyResourceKernel(bool ignore) : ignore_(ignore) {}

  Status Compute(KernelContext& c) override {
    VariableState* variable = c.variable(0);
    const bool there = variable != nullptr && !c.Read(*variable).empty();
    if (there) variable->Set(Tensor(), c.run().followed);
    if (there || ignore_) return OkStatus();
    return NotFound("Resource localhost/", variable ? variable->name() : "?",
                    "/<unknown> does not exist.");
  }

 private:
  const bool ignore_;
};

class VariableShapeKernel final : public Kernel {
 public:
  static std::unique_ptr<VariableShapeKernel> Make(const KernelNode& node) {
    return std::make_unique<VariableShapeKernel>(node.attrs->GetOr<DType>("out_type", kInt32));
  }
  explicit VariableShapeKernel(DType type) : type_(type) {}

  Status Compute(KernelContext& c) override {
    if (c.variable(0) == nullptr) return TakeTarget(c);
    const Tensor value = c.Read(*c.variable(0));
    if (value.empty()) return MissingResource(*c.variable(0));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, type_, Shape{value.rank()}));
    for (int d = 0; d < value.rank(); ++d) {
      if (type_ == kInt64) {
        y->mutable_data<int64_t>()[d] = value.dim(d);
      } else if (value.dim(d) > std::numeric_limits<int32_t>::max()) {
        return InvalidArgument("dimension ", d, " of shape ", value.shape(),
                               " does not fit in int32; use out_type=int64");
      } else {
        y->mutable_data<int32_t>()[d] = static_cast<int32_t>(value.dim(d));
      }
    }
    return OkStatus();
  }

 private:
  const DType type_;
};

Status CheckHandleType(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(DType dtype, c.attr<DType>("dtype"));
  const DType known = c.handle(0).first;
  if (known == DType::kInvalid || known == dtype) return OkStatus();
  return CheckVariableType("read", known, dtype);
}

Status ReadShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(CheckHandleType(c));
  c.set_output(0, c.handle(0).second);
  return OkStatus();
}

Status ResourceAssignShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(CheckHandleType(c));
  return c.handle(0).second.MergeWith(c.input(1)).status();
}

Status ShapeOfVariable(ShapeContext& c) {
  const Shape shape = c.handle(0).second;
  c.set_output(0, Shape{shape.unknown_rank() ? Shape::kUnknownDim : shape.rank()});
  return OkStatus();
}

}  // namespace

RAMET_OP("VarHandleOp")
    .Output("resource: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("debug_name: string = ''")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .Attr("allowed_devices: list(string) = []")
    .Doc(
        "Returns the handle of the resource variable shared_name in `container`, which belongs to "
        "the session and has no value until one is assigned. Handles with the same name and "
        "container (even an empty name) refer to the same variable. A VariableV2 of the same name "
        "is a different variable. With TensorFlow's name for anonymous handles, "
        "cd2c89b7-88b7-44c8-ad83-06c2a9158347, each execution creates a new variable, which lives "
        "as long as the session.")
    .Shape(ScalarShape)
    .CpuKernelClass<VarHandleKernel>();

RAMET_OP("ReadVariableOp")
    .Input("resource: resource")
    .Output("value: dtype")
    .Attr("dtype: type")
    .Doc(
        "Returns the current value of a resource variable; later assignments do not change it. "
        "Error: the variable has no value (kFailedPrecondition) or a different dtype.")
    .Shape(ReadShape)
    .Gradient(PassGradient)
    .CpuKernelClass<TypedKernel<Read>>();

RAMET_OP("AssignVariableOp")
    .Input("resource: resource")
    .Input("value: dtype")
    .Attr("dtype: type")
    .Attr("validate_shape: bool = false")
    .Doc(
        "Assigns `value` to a resource variable. Error: the variable has a value of a different "
        "dtype, or, with validate_shape, of a different shape.")
    .Shape(ResourceAssignShape)
    .CpuKernelClass<AssignVariableKernel>();

#define RAMET_RESOURCE_UPDATE(name, linalg_op, doc)                                           \
  RAMET_OP(name)                                                                              \
      .Input("resource: resource")                                                            \
      .Input("value: dtype")                                                                  \
      .Attr("dtype: type")                                                                    \
      .Doc(doc " Error: the variable has no value (kNotFound); the shapes or dtypes differ.") \
      .Shape(ResourceAssignShape)                                                             \
      .CpuKernels<float, double, Half, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,  \
                  uint16_t, uint32_t, uint64_t, std::complex<float>, std::complex<double>>(   \
          kUpdateResource<linalg::BinaryOp::linalg_op>, "dtype")

RAMET_RESOURCE_UPDATE("AssignAddVariableOp", kAdd, "Adds `value` to a resource variable.");
RAMET_RESOURCE_UPDATE("AssignSubVariableOp", kSub, "Subtracts `value` from a resource variable.");

RAMET_OP("VarIsInitializedOp")
    .Input("resource: resource")
    .Output("is_initialized: bool")
    .Doc("Returns whether the resource variable has a value, a scalar.")
    .HostMemory({"is_initialized"})
    .Shape(ScalarShape)
    .NotDifferentiable()
    .CpuKernel(IsInitialized);

RAMET_OP("DestroyResourceOp")
    .Input("resource: resource")
    .Attr("ignore_lookup_error: bool = true")
    .Doc(
        "Removes the value of a resource variable. Error: it has no value and ignore_lookup_error "
        "is not set (kNotFound).")
    .Shape(NoOutputs)
    .CpuKernelClass<DestroyResourceKernel>();

RAMET_OP("DisableCopyOnRead")
    .Input("resource: resource")
    .Doc(
        "Has no effect: reading a resource variable never copies its value. Error: the variable "
        "has no value (kFailedPrecondition).")
    .Shape(NoOutputs)
    .CpuKernel(DisableCopyOnRead);

RAMET_OP("VariableShape")
    .Input("input: resource")
    .Output("output: out_type")
    .Attr("out_type: {int32, int64} = int32")
    .Doc(
        "Returns the shape of the value of a resource variable, a vector. Error: the variable has "
        "no value (kNotFound); a dimension does not fit in out_type.")
    .HostMemory({"output"})
    .Shape(ShapeOfVariable)
    .NotDifferentiable()
    .CpuKernelClass<VariableShapeKernel>();

}  // namespace ramet
