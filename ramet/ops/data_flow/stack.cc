#include <vector>

#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/data_flow/run_resource.h"

namespace ramet {
namespace {

// A stack of tensors. Thread-safe.
class Stack final : public Resource {
 public:
  Stack(DType dtype, std::string name, int64_t max_size)
      : dtype_(dtype), name_(std::move(name)), max_size_(max_size) {}
  std::string_view type_name() const override { return "stack"; }
  DType dtype() const { return dtype_; }

  Status Push(const Tensor& value) {
    MutexLock lock(mutex_);
    RAMET_RETURN_IF_ERROR(CheckOpen());
    if (max_size_ >= 0 && std::ssize(values_) >= max_size_) {
      return InvalidArgument("Stack[", name_, "] overflowed its max_size (", max_size_, ")");
    }
    values_.push_back(value);
    return OkStatus();
  }

  StatusOr<Tensor> Pop() {
    MutexLock lock(mutex_);
    RAMET_RETURN_IF_ERROR(CheckOpen());
    if (values_.empty()) {
      return InvalidArgument("Stack[", name_, "] is empty when calling Pop().");
    }
    Tensor top = std::move(values_.back());
    values_.pop_back();
    return top;
  }

  void Close() {
    MutexLock lock(mutex_);
    values_.clear();
    closed_ = true;
  }

 private:
  Status CheckOpen() const RAMET_REQUIRES(mutex_) {
    if (!closed_) return OkStatus();
    return InvalidArgument("Stack[", name_, "] has already been closed.");
  }

  const DType dtype_;
  const std::string name_;
  const int64_t max_size_;
  Mutex mutex_;
  std::vector<Tensor> values_ RAMET_GUARDED_BY(mutex_);
  bool closed_ RAMET_GUARDED_BY(mutex_) = false;
};

class MakeStack final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    auto kernel = std::make_unique<MakeStack>();
    RAMET_ASSIGN_OR_RETURN(kernel->dtype_, node.attrs->Get<DType>("elem_type"));
    kernel->name_ = node.attrs->GetOr<std::string>("stack_name", "");
    if (kernel->name_.empty()) kernel->name_ = node.name;
    kernel->form_ = node.output_types[0];
    return StatusOr<std::unique_ptr<Kernel>>(std::move(kernel));
  }

  Status Compute(KernelContext& c) override {
    int64_t max_size = -1;
    if (c.num_inputs() > 0) {
      if (c.input(0).rank() != 0) {
        return InvalidArgument("Stack size must be a scalar, but had shape: ", c.input(0).shape());
      }
      max_size = c.input(0).scalar<int32_t>();
    }
    const std::string name = UniqueResourceName(name_);
    return OutputResource(c, form_, "_stacks", name,
                          std::make_shared<Stack>(dtype_, name, max_size));
  }

 private:
  DType dtype_ = DType::kInvalid, form_ = DType::kInvalid;
  std::string name_;
};

Status Push(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto stack, InputResourceAs<Stack>(c, "stack"));
  const Tensor& value = c.input(1);
  if (value.dtype() != stack->dtype()) {
    return InvalidArgument("Must have type ", static_cast<int>(stack->dtype()), " but got ",
                           static_cast<int>(value.dtype()));
  }
  RAMET_RETURN_IF_ERROR(stack->Push(value));
  c.SetOutput(0, value);
  return OkStatus();
}

class Pop final : public Kernel {
 public:
  explicit Pop(const KernelNode& node) : node_(node.name), dtype_(node.output_types[0]) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<Pop>(node));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(auto stack, InputResourceAs<Stack>(c, "stack"));
    RAMET_ASSIGN_OR_RETURN(Tensor value, stack->Pop());
    if (value.dtype() != dtype_) {
      return Internal("Output 0 of type ", DTypeName(value.dtype()),
                      " does not match declared output type ", DTypeName(dtype_), " for node ",
                      node_);
    }
    c.SetOutput(0, std::move(value));
    return OkStatus();
  }

 private:
  const std::string node_;
  const DType dtype_;
};

Status Close(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto stack, InputResourceAs<Stack>(c, "stack"));
  stack->Close();
  return OkStatus();
}

Status PushShape(ShapeContext& c) {
  c.set_output(0, c.input(1));
  return OkStatus();
}

Status StackHandleShape(ShapeContext& c) {
  c.set_output(0, Shape{2});
  return OkStatus();
}

constexpr char kStackDoc[] =
    "Creates a stack that lives until the end of the run; each run starts with an empty one. Its "
    "elements are tensors of dtype elem_type and any shape.";
constexpr char kPushDoc[] =
    "Pushes `elem` onto the stack and returns `elem`. swap_memory has no effect: values stay where "
    "they are. Error: the dtype is not that of the stack; the stack is full or closed.";
constexpr char kPopDoc[] =
    "Pops the top element of the stack. Error: the stack is empty or closed; its elements are not "
    "of dtype elem_type (kInternal).";
constexpr char kCloseStackDoc[] =
    "Closes a stack and frees its elements. Nothing can be pushed or popped afterwards.";

RAMET_OP("StackV2")
    .Input("max_size: int32")
    .Output("handle: resource")
    .Attr("elem_type: type")
    .Attr("stack_name: string = ''")
    .Stateful()
    .Doc(
        "Creates a stack of at most max_size elements (no limit if max_size is negative) that "
        "lives until the end of the run; each run starts with an empty one. Its elements are "
        "tensors of dtype elem_type and any shape. Error: max_size is not a scalar.")
    .Shape(StackHandleShape)
    .CpuKernelClass<MakeStack>();

RAMET_OP("StackPushV2")
    .Input("handle: resource")
    .Input("elem: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("swap_memory: bool = false")
    .Stateful()
    .Doc(kPushDoc)
    .Shape(PushShape)
    .CpuKernel(Push);

RAMET_OP("StackPopV2")
    .Input("handle: resource")
    .Output("elem: elem_type")
    .Attr("elem_type: type")
    .Stateful()
    .Doc(kPopDoc)
    .Shape(UnknownShape)
    .CpuKernelClass<Pop>();

RAMET_OP("StackCloseV2")
    .Input("handle: resource")
    .Stateful()
    .Doc(kCloseStackDoc)
    .Shape(NoOutputs)
    .CpuKernel(Close);

RAMET_OP("Stack")
    .Output("handle: Ref(string)")
    .Attr("elem_type: type")
    .Attr("stack_name: string = ''")
    .Stateful()
    .Doc(kStackDoc)
    .Shape(StackHandleShape)
    .NotDifferentiable()
    .CpuKernelClass<MakeStack>();

RAMET_OP("StackPush")
    .Input("handle: Ref(string)")
    .Input("elem: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("swap_memory: bool = false")
    .Doc(kPushDoc)
    .Shape(PushShape)
    .NotDifferentiable()
    .CpuKernel(Push);

RAMET_OP("StackPop")
    .Input("handle: Ref(string)")
    .Output("elem: elem_type")
    .Attr("elem_type: type")
    .Doc(kPopDoc)
    .Shape(UnknownShape)
    .NotDifferentiable()
    .CpuKernelClass<Pop>();

RAMET_OP("StackClose")
    .Input("handle: Ref(string)")
    .Doc(kCloseStackDoc)
    .Shape(NoOutputs)
    .NotDifferentiable()
    .CpuKernel(Close);

}  // namespace
}  // namespace ramet
