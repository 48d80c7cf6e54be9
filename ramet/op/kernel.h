#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/cancellation.h"
#include "ramet/device/device.h"
#include "ramet/op/attr.h"
#include "ramet/op/resource_store.h"

namespace ramet {

// A Value is passed along an edge of a running graph. It is a tensor, or a variable for a ref
// output or an Identity of one. The consumer reads the variable's buffer when it runs.
struct Value {
  Tensor tensor;
  VariableState* variable = nullptr;
};

// The environment of all kernels of one device in a session. Outlives the kernels.
struct KernelEnv {
  Allocator* allocator = nullptr;           // for outputs of kernels (views, if `memory` is set)
  Allocator* variable_allocator = nullptr;  // for variables
  ResourceStore* resources = nullptr;
  const DeviceMemory* memory = nullptr;  // null for host memory
};

// State shared by all kernels of one run, including those of functions that it calls.
struct RunState {
  ResourceStore resources;
  const Cancellation* cancellation = nullptr;
  const FollowedValues* followed = nullptr;  // null if the session follows no publisher
};

// The node that a kernel is made for.
struct KernelNode {
  std::string name;
  std::string op;
  const AttrMap* attrs = nullptr;
  std::vector<DType> input_types;
  std::vector<DType> output_types;
};

// One input of a running kernel.
struct KernelInput {
  const Tensor* tensor = nullptr;     // the value, unless the kernel takes the variable itself
  VariableState* variable = nullptr;  // the variable that the input names, or null
  bool is_last_use = false;           // nothing reads the value after this kernel
};

// A KernelContext is one execution of a kernel: its inputs, outputs and environment. It lives on
// the executor's stack. Not thread-safe.
class KernelContext {
 public:
  KernelContext(const KernelEnv& env, std::span<const KernelInput> inputs, std::span<Value> outputs,
                RunState& run)
      : env_(env), inputs_(inputs), outputs_(outputs), run_(run) {}

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const Tensor& input(int i) const { return *inputs_[i].tensor; }
  // Returns the variable that input i names, or null. input(i) holds its value, except for Ref
  // inputs.
  VariableState* variable(int i) const { return inputs_[i].variable; }
  // Forwards Ref input i to output o, which then names the same variable.
  // \error kInvalidArgument: a plain value was fed for the variable.
  Status ForwardRef(int i, int o);
  // Returns the value of Ref input i.
  // \error kFailedPrecondition: the variable is uninitialized.
  // \error kInvalidArgument: a plain value was fed for the variable.
  StatusOr<Tensor> ReadRef(int i) const;
  // Returns the value of a variable on its device, or an empty Tensor if it is uninitialized.
  Tensor Read(const VariableState& variable) const { return variable.Read(run_.followed); }
  // Makes `value` the value of Ref input i. It must be in this device's memory, and its buffer must
  // not be written to afterwards. Errors are those of ForwardRef and Tensor::Owned.
  Status AssignRef(int i, const Tensor& value);
  // Updates Ref input i by `update(const Tensor& old, Tensor& out) -> Status`, as
  // VariableState::Modify. `out` is `old` or a new tensor of its dtype and shape; `update` must
  // write every element of it.
  template <class Update>
  Status ModifyRef(int i, Update&& update) {
    RAMET_ASSIGN_OR_RETURN(VariableState * variable, ref(i));
    auto viewed = [&](const Tensor& old, Tensor& out) -> Status {
      if (env_.memory == nullptr) return update(old, out);
      Tensor old_view = env_.memory->View(old);
      Tensor out_view = &old == &out ? old_view : env_.memory->View(out);
      return update(static_cast<const Tensor&>(old_view), out_view);
    };
    return variable->Modify(env_.variable_allocator, run_.followed, viewed);
  }

  // Updates the rows `indices` (int32 or int64) only. `out` already has the elements of `old`, and
  // `update` writes only those rows (VariableState::ModifyRows).
  template <class Update>
  Status ModifyRefRows(int i, const Tensor& indices, Update&& update) {
    if (env_.memory != nullptr) {
      return ModifyRef(i, [&](const Tensor& old, Tensor& out) -> Status {
        if (old.raw_data() != out.raw_data()) CopyAll(old, out);
        return update(old, out);
      });
    }
    RAMET_ASSIGN_OR_RETURN(VariableState * variable, ref(i));
    return variable->ModifyRows(env_.variable_allocator, run_.followed, indices, update);
  }

  // Allocates output i.
  // \error as Tensor::Allocate.
  StatusOr<Tensor*> Allocate(int i, DType dtype, const Shape& shape);
  // Reuses the buffer of one of `candidates` for output i, or allocates a new one. A candidate fits
  // if it has as many elements of the same size, no other owner, and this is its last use.
  // \error as Allocate.
  StatusOr<Tensor*> ForwardOrAllocate(int i, std::initializer_list<int> candidates, DType dtype,
                                      const Shape& shape);
  void SetOutput(int i, Tensor tensor) { outputs_[i].tensor = std::move(tensor); }
  // Makes output i name the variable (a ref output or an alias of one).
  void SetRefOutput(int i, VariableState* variable) { outputs_[i].variable = variable; }
  Value& output(int i) { return outputs_[i]; }

  // Allocates a temporary tensor.
  // \error as Allocate.
  StatusOr<Tensor> AllocateTemp(DType dtype, const Shape& shape) {
    return Tensor::Allocate(dtype, shape, env_.allocator);
  }
  const KernelEnv& env() const { return env_; }
  Allocator* allocator() const { return env_.allocator; }
  // Returns the conditions that end this run early, or null if there are none. A kernel that waits
  // for other threads passes this to a CancellableWait.
  const Cancellation* cancellation() const { return run_.cancellation; }
  // Returns the resources that live as long as the run: stacks and tensor arrays named by strings.
  // Each run starts with an empty store.
  ResourceStore& run_resources() const { return run_.resources; }
  RunState& run() const { return run_; }

 private:
  StatusOr<VariableState*> ref(int i) const;
  static void CopyAll(const Tensor& from, Tensor& to);

  const KernelEnv& env_;
  std::span<const KernelInput> inputs_;
  std::span<Value> outputs_;
  RunState& run_;
};

// A Kernel computes one node in one session. Compute is called by one thread at a time unless
// several threads run the session; a kernel with state must guard it.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual Status Compute(KernelContext& context) = 0;
};

// Runs the kernel and turns an exception thrown by it or by a library below it into a Status (see
// StatusOfException in ramet/base/exception.h).
Status ComputeGuarded(Kernel& kernel, KernelContext& context);

// Makes a kernel for a node.
// \error kInvalidArgument: the node's attrs are invalid.
using KernelFactory = StatusOr<std::unique_ptr<Kernel>> (*)(const KernelNode& node);

// The kernel of an op that needs no state and no attrs at construction.
using KernelFunction = Status (*)(KernelContext& context);

// One implementation of an op on a device type for some dtypes.
struct KernelRegistration {
  std::string_view device_type;  // "CPU", ...
  std::string_view type_attr;    // the attr that must equal `dtype`; "" for no constraint
  DType dtype = DType::kInvalid;
  KernelFactory factory = nullptr;  // exactly one of factory and function is set
  KernelFunction function = nullptr;

  bool Matches(const AttrMap& attrs) const;
  StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) const;
};

}  // namespace ramet
