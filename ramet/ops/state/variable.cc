#include <unordered_map>

#include "ramet/base/mutex.h"
#include "ramet/op/op.h"
#include "ramet/ops/state/declared_shape.h"

namespace ramet {
namespace {

class VariableKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(Shape shape, node.attrs->Get<Shape>("shape"));
    std::string name = node.attrs->GetOr<std::string>("shared_name", "");
    if (name.empty()) name = node.name;
    return std::make_unique<VariableKernel>(node.attrs->GetOr<std::string>("container", ""),
                                            std::move(name), std::move(shape));
  }
  VariableKernel(std::string container, std::string name, Shape shape)
      : container_(std::move(container)), name_(std::move(name)), shape_(std::move(shape)) {}

  Status Compute(KernelContext& c) override {
    std::call_once(looked_up_, [&] {
      variable_ = c.env().resources->FindOrCreateVariable(container_, name_);
      if (variable_) DeclareShape(*c.env().resources, *variable_, shape_);
    });
    if (!variable_) {
      return InvalidArgument("the name '", name_,
                             "' is already used by a different kind of resource in this session");
    }
    c.SetRefOutput(0, variable_.get());
    return OkStatus();
  }

 private:
  const std::string container_, name_;
  const Shape shape_;
  std::once_flag looked_up_;
  std::shared_ptr<VariableState> variable_;
};

Status VariableShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, c.attr<Shape>("shape"));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// The temporary variables of a session. A destroyed variable is kept for reuse.
class TemporaryVariables final : public Resource {
 public:
  std::string_view type_name() const override { return "temporary variables"; }

  static std::shared_ptr<TemporaryVariables> Of(ResourceStore& resources) {
    return std::dynamic_pointer_cast<TemporaryVariables>(resources.FindOrCreate(
        "temporary variables", "", [] { return std::make_shared<TemporaryVariables>(); }));
  }

  VariableState* Take(const std::string& name) {
    MutexLock lock(mutex_);
    auto& free = free_[name];
    if (free.empty()) {
      all_.push_back(std::make_unique<VariableState>(name));
      return all_.back().get();
    }
    VariableState* variable = free.back();
    free.pop_back();
    return variable;
  }

  void Return(VariableState* variable) {
    MutexLock lock(mutex_);
    variable->Set(Tensor());
    free_[variable->name()].push_back(variable);
  }

 private:
  Mutex mutex_;
  std::vector<std::unique_ptr<VariableState>> all_ RAMET_GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::vector<VariableState*>> free_ RAMET_GUARDED_BY(mutex_);
};

// Returns the name that both ops of a temporary variable use for it.
std::string TemporaryName(const KernelNode& node) {
  std::string name = node.attrs->GetOr<std::string>("var_name", "");
  return name.empty() ? node.name : name;
}

class TemporaryVariableKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(Shape shape, node.attrs->Get<Shape>("shape"));
    RAMET_ASSIGN_OR_RETURN(DType dtype, node.attrs->Get<DType>("dtype"));
    return std::make_unique<TemporaryVariableKernel>(TemporaryName(node), dtype, std::move(shape));
  }
  TemporaryVariableKernel(std::string name, DType dtype, Shape shape)
      : name_(std::move(name)), dtype_(dtype), shape_(std::move(shape)) {}

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(Tensor value,
                           Tensor::Allocate(dtype_, shape_, c.env().variable_allocator));
    VariableState* variable = TemporaryVariables::Of(*c.env().resources)->Take(name_);
    variable->Set(std::move(value));
    c.SetRefOutput(0, variable);
    return OkStatus();
  }

 private:
  const std::string name_;
  const DType dtype_;
  const Shape shape_;
};

class DestroyTemporaryVariableKernel final : public Kernel {
 public:
  static std::unique_ptr<DestroyTemporaryVariableKernel> Make(const KernelNode& node) {
    return std::make_unique<DestroyTemporaryVariableKernel>(TemporaryName(node));
  }
  explicit DestroyTemporaryVariableKernel(std::string name) : name_(std::move(name)) {}

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(Tensor value, c.ReadRef(0));
    VariableState* variable = c.variable(0);
    if (variable->name() != name_) {
      return NotFound("Resource ", name_, " does not exist: the input is the temporary variable '",
                      variable->name(), "'; use its name as var_name");
    }
    TemporaryVariables::Of(*c.env().resources)->Return(variable);
    c.SetOutput(0, std::move(value));
    return OkStatus();
  }

 private:
  const std::string name_;
};

Status IsVariableInitialized(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DType::kBool, Shape()));
  VariableState* variable = c.variable(0);
  *y->mutable_data<bool>() = variable ? !c.Read(*variable).empty() : !c.input(0).empty();
  return OkStatus();
}

}  // namespace

RAMET_OP("VariableV2")
    .Output("ref: Ref(dtype)")
    .Attr("shape: shape")
    .Attr("dtype: type")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Doc(
        "Returns a variable of the session, named shared_name (or like the node, if empty) in "
        "`container`. It has no value until one is assigned. Nodes with the same name and "
        "container are the same variable. Error: the name is used by a different kind of resource.")
    .Stateful()
    .Shape(VariableShape)
    .NotDifferentiable()
    .CpuKernelClass<VariableKernel>();

RAMET_OP("Variable")
    .Output("ref: Ref(dtype)")
    .Attr("shape: shape")
    .Attr("dtype: type")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Doc("Like VariableV2, in graphs from before TensorFlow 0.12.")
    .Stateful()
    .Shape(VariableShape)
    .NotDifferentiable()
    .CpuKernelClass<VariableKernel>();

RAMET_OP("TemporaryVariable")
    .Output("ref: Ref(dtype)")
    .Attr("shape: shape")
    .Attr("dtype: type")
    .Attr("var_name: string = ''")
    .Doc(
        "Returns a variable with unspecified elements for one run. DestroyTemporaryVariable with "
        "the same var_name (the name of the node, if empty) turns it into a tensor.")
    .Stateful()
    .Shape(VariableShape)
    .CpuKernelClass<TemporaryVariableKernel>();

RAMET_OP("DestroyTemporaryVariable")
    .Input("ref: Ref(T)")
    .Output("value: T")
    .Attr("T: type")
    .Attr("var_name: string")
    .Doc(
        "Returns the last value of a temporary variable and destroys the variable. Error: var_name "
        "is not the name of the variable (kNotFound).")
    .Shape(UnchangedShape)
    .CpuKernelClass<DestroyTemporaryVariableKernel>();

RAMET_OP("IsVariableInitialized")
    .Input("ref: Ref(dtype)")
    .Output("is_initialized: bool")
    .Attr("dtype: type")
    .Doc("Returns whether the variable has a value, a scalar.")
    .HostMemory({"is_initialized"})
    .AllowsUninitializedInput()
    .Shape(ScalarShape)
    .CpuKernel(IsVariableInitialized);

}  // namespace ramet
