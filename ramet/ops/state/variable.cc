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

// The temporary variables of a run, by name. A destroyed variable is kept for reuse, because values
// may still refer to it.
class TemporaryVariables final : public Resource {
 public:
  std::string_view type_name() const override { return "temporary variables"; }

  static std::shared_ptr<TemporaryVariables> Of(ResourceStore& run_resources) {
    return std::dynamic_pointer_cast<TemporaryVariables>(run_resources.FindOrCreate(
        "temporary variables", "", [] { return std::make_shared<TemporaryVariables>(); }));
  }

  // \error kAlreadyExists: a variable of that name exists.
  StatusOr<VariableState*> Create(const std::string& name) {
    MutexLock lock(mutex_);
    Entry& entry = entries_[name];
    if (entry.exists) {
      return AlreadyExists("Resource ", name,
                           " already exists: another TemporaryVariable of this run has the same "
                           "var_name");
    }
    entry.exists = true;
    if (!entry.variable) entry.variable = std::make_unique<VariableState>(name);
    return entry.variable.get();
  }

  // \error kNotFound: no variable has that name.
  Status Destroy(const std::string& name) {
    MutexLock lock(mutex_);
    const auto found = entries_.find(name);
    if (found == entries_.end() || !found->second.exists) {
      return NotFound("Resource ", name, " does not exist.");
    }
    found->second.exists = false;
    found->second.variable->Set(Tensor());
    return OkStatus();
  }

 private:
  struct Entry {
    std::unique_ptr<VariableState> variable = {};
    bool exists = false;
  };
  Mutex mutex_;
  std::unordered_map<std::string, Entry> entries_ RAMET_GUARDED_BY(mutex_);
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
    RAMET_ASSIGN_OR_RETURN(VariableState * variable,
                           TemporaryVariables::Of(c.run_resources())->Create(name_));
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
    StatusOr<Tensor> value = c.ReadRef(0);
    RAMET_RETURN_IF_ERROR(TemporaryVariables::Of(c.run_resources())->Destroy(name_));
    if (!value.ok()) return value.status();
    c.SetOutput(0, *std::move(value));
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
        "the same var_name (the name of the node, if empty) turns it into a tensor. Error: a "
        "variable of that name exists in the run (kAlreadyExists).")
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
