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

// What flows along an edge of a running graph: a tensor, or the name of a variable (a ref output,
// and what Identity makes of one) whose buffer its consumer resolves when it runs.
struct Value {
  Tensor tensor;
  VariableState* variable = nullptr;
};

// What a kernel finds around it: the same for all kernels of a session's device. Outlives the
// kernels.
struct KernelEnv {
  Allocator* allocator = nullptr;  // where a kernel's outputs are made (views, on a device)
  Allocator* variable_allocator = nullptr;  // where variables live
  ResourceStore* resources = nullptr;
  const DeviceMemory* memory = nullptr;  // null: host memory
};

// What the kernels of one run share, those of the functions that it calls among them.
struct RunState {
  ResourceStore resources;
  const Cancellation* cancellation = nullptr;
  const FollowedValues* followed = nullptr;  // of the session's variables; null: none
};

// The node that a kernel is made for.
struct KernelNode {
  std::string name;
  std::string op;
  const AttrMap* attrs = nullptr;
  std::vector<DType> input_types;
  std::vector<DType> output_types;
};

// A KernelContext is one execution of a kernel: its inputs, its outputs, its surroundings. It lives
// on the stack of the executor; not thread-safe.
class KernelContext {
 public:
  // `inputs` are the resolved tensors; `refs[i]` is the variable that input i names, or null;
  // `forwardable` has bit i (up to 64) set where nobody reads input i after this kernel.
  KernelContext(const KernelEnv& env, std::span<const Tensor* const> inputs,
                std::span<VariableState* const> refs, std::span<Value> outputs,
                uint64_t forwardable, RunState& run)
      : env_(env),
        inputs_(inputs),
        refs_(refs),
        outputs_(outputs),
        forwardable_(forwardable),
        run_(run) {}

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const Tensor& input(int i) const { return *inputs_[i]; }
  // Whether input i names a variable. Its tensor is resolved like any other, except for Ref inputs.
  VariableState* variable(int i) const { return refs_[i]; }
  // Ref input i is a variable and is passed on as output o (which names it).
  // \error kInvalidArgument if a plain value was fed in the variable's place.
  Status ForwardRef(int i, int o);
  // The current value of Ref input i. \error kFailedPrecondition if uninitialised.
  StatusOr<Tensor> ReadRef(int i) const;
  // The current value of a variable of the session, where it lies; empty if uninitialised.
  Tensor Read(const VariableState& variable) const { return variable.Read(run_.followed); }
  // Makes `value` (in this device's memory, not to be written any more) the value of Ref input i.
  Status AssignRef(int i, const Tensor& value);
  // Updates Ref input i by update(const Tensor& old, Tensor& out) -> Status as
  // VariableState::Modify: `out` is `old` or a fresh tensor of its dtype and shape, and every
  // element of it must be written.
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

  // The same for an update of the rows `indices` (int32 or int64): `out` has the elements of `old`
  // already, and `update` writes those of the rows only (VariableState::ModifyRows).
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

  // A new tensor as output i. \error kResourceExhausted, kInvalidArgument as Tensor::Allocate.
  StatusOr<Tensor*> Allocate(int i, DType dtype, const Shape& shape);
  // Output i in the buffer of one of `candidates` (inputs of the same byte size that nobody reads
  // afterwards and nobody else holds), or a new one.
  StatusOr<Tensor*> ForwardOrAllocate(int i, std::initializer_list<int> candidates, DType dtype,
                                      const Shape& shape);
  void SetOutput(int i, Tensor tensor) { outputs_[i].tensor = std::move(tensor); }
  // Output i names the variable (ref outputs, aliases of them).
  void SetRefOutput(int i, VariableState* variable) { outputs_[i].variable = variable; }
  Value& output(int i) { return outputs_[i]; }

  // As Allocate, for what is no output.
  StatusOr<Tensor> AllocateTemp(DType dtype, const Shape& shape) {
    return Tensor::Allocate(dtype, shape, env_.allocator);
  }
  const KernelEnv& env() const { return env_; }
  Allocator* allocator() const { return env_.allocator; }
  // What can end this run before its time; null where nothing can. A kernel that waits for others
  // waits by a CancellableWait over it.
  const Cancellation* cancellation() const { return run_.cancellation; }
  // What lives as long as the run: stacks and tensor arrays that are named by strings. A later run
  // begins with an empty store.
  ResourceStore& run_resources() const { return run_.resources; }
  RunState& run() const { return run_; }

 private:
  StatusOr<VariableState*> ref(int i) const;
  static void CopyAll(const Tensor& from, Tensor& to);

  const KernelEnv& env_;
  std::span<const Tensor* const> inputs_;
  std::span<VariableState* const> refs_;
  std::span<Value> outputs_;
  uint64_t forwardable_;
  RunState& run_;
};

// A Kernel does the work of one node in one session. Compute is called from one thread at a time
// unless the session is run from several; kernels with state of their own guard it.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual Status Compute(KernelContext& context) = 0;
};

// Runs the kernel: the one place where what a kernel or a library below it throws becomes a Status
// (StatusOfException in ramet/base/exception.h says which).
Status ComputeGuarded(Kernel& kernel, KernelContext& context);

// Makes a kernel for a node. \error kInvalidArgument if the node's attrs do not make sense.
using KernelFactory = StatusOr<std::unique_ptr<Kernel>> (*)(const KernelNode& node);

// A kernel without state or attrs is a function.
using KernelFunction = Status (*)(KernelContext& context);

// One implementation of an op on a device type for some dtypes.
struct KernelRegistration {
  std::string_view device_type;  // "CPU", ...
  std::string_view type_attr;    // which attr `dtype` constrains; "" for no constraint
  DType dtype = DType::kInvalid;
  KernelFactory factory = nullptr;  // one of factory and function is set
  KernelFunction function = nullptr;

  bool Matches(const AttrMap& attrs) const;
  StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) const;
};

}  // namespace ramet
