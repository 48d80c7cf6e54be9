#include "ramet/backends/gpu/ops/cpu_kernels.h"

#include <memory>
#include <string_view>
#include <vector>

#include "ramet/backends/gpu/launch.h"
#include "ramet/backends/gpu/ops/type_sets.h"
#include "ramet/op/op.h"

// Ops whose CPU kernels also serve on a GPU, because they do not access elements in device memory.

namespace ramet::gpu {

StatusOr<std::unique_ptr<Kernel>> MakeCpuKernel(const KernelNode& node) {
  const Op* const op = OpRegistry::Global().Find(node.op);
  RAMET_ASSIGN_OR_RETURN(const KernelRegistration* registration,
                         op->FindKernel("CPU", *node.attrs, node.name));
  return registration->Make(node);
}

namespace {

// Ops that pass on tensors, variables or buffers, or do nothing.
constexpr std::string_view kForwardingOps[] = {"Assign",
                                               "AssignVariableOp",
                                               "Bitcast",
                                               "ControlTrigger",
                                               "DestroyResourceOp",
                                               "DestroyTemporaryVariable",
                                               "DisableCopyOnRead",
                                               "EnsureShape",
                                               "Enter",
                                               "Exit",
                                               "ExpandDims",
                                               "IdentityN",
                                               "Merge",
                                               "NextIteration",
                                               "NoOp",
                                               "Placeholder",
                                               "PlaceholderV2",
                                               "PlaceholderWithDefault",
                                               "ReadVariableOp",
                                               "RefEnter",
                                               "RefExit",
                                               "RefIdentity",
                                               "RefMerge",
                                               "RefNextIteration",
                                               "RefSwitch",
                                               "Reshape",
                                               "Snapshot",
                                               "Squeeze",
                                               "Switch",
                                               "TemporaryVariable",
                                               "VarHandleOp",
                                               "Variable",
                                               "VariableV2"};

// Ops that use only shapes, states of variables and inputs in host memory. They compute their
// outputs in host memory; outputs that the op does not declare there are copied to the device.
constexpr std::string_view kHostOps[] = {"Assert",
                                         "BroadcastArgs",
                                         "BroadcastGradientArgs",
                                         "ConcatOffset",
                                         "FakeParam",
                                         "InvertPermutation",
                                         "IsVariableInitialized",
                                         "LinSpace",
                                         "LoopCond",
                                         "Range",
                                         "Rank",
                                         "Shape",
                                         "ShapeN",
                                         "Size",
                                         "VarIsInitializedOp",
                                         "VariableShape"};

// Ops on integers that can fail depending on the elements, so that the host has to wait for them
// anyway. It computes them, on a copy of the inputs.
constexpr std::string_view kIntegerOps[] = {"Div", "FloorDiv",    "FloorMod",   "Mod",
                                            "Pow", "TruncateDiv", "TruncateMod"};

// Runs a CPU kernel whose outputs are in host memory. With `copies_inputs`, its inputs are too.
class HostKernel final : public Kernel {
 public:
  HostKernel(std::unique_ptr<Kernel> kernel, bool copies_inputs)
      : kernel_(std::move(kernel)), copies_inputs_(copies_inputs) {}

  Status Compute(KernelContext& c) override {
    const auto count = static_cast<size_t>(c.num_inputs());
    std::vector<Tensor> copies(copies_inputs_ ? count : 0);
    for (size_t i = 0; i < copies.size(); ++i) {
      RAMET_ASSIGN_OR_RETURN(copies[i], DeviceOf(c).CopyToHost(c.input(static_cast<int>(i))));
    }
    std::vector<KernelInput> inputs;
    inputs.reserve(count);
    for (int i = 0; i < c.num_inputs(); ++i) {
      inputs.push_back({copies_inputs_ ? &copies[i] : &c.input(i), c.variable(i), false});
    }
    std::span<Value> outputs;
    if (c.num_outputs() > 0) outputs = {&c.output(0), static_cast<size_t>(c.num_outputs())};
    const KernelEnv env = {.allocator = HostAllocator(),
                           .variable_allocator = HostAllocator(),
                           .resources = c.env().resources,
                           .memory = nullptr};
    KernelContext on_host(env, inputs, outputs, c.run());
    return kernel_->Compute(on_host);
  }

 private:
  const std::unique_ptr<Kernel> kernel_;
  const bool copies_inputs_;
};

template <bool copies_inputs>
StatusOr<std::unique_ptr<Kernel>> MakeHostKernel(const KernelNode& node) {
  RAMET_ASSIGN_OR_RETURN(auto kernel, MakeCpuKernel(node));
  return std::unique_ptr<Kernel>(std::make_unique<HostKernel>(std::move(kernel), copies_inputs));
}

[[maybe_unused]] const bool cpu_kernels_registered = [] {
  for (std::string_view op : kForwardingOps) {
    KernelRegistrar(op, {"GPU", "", DType::kInvalid, &MakeCpuKernel, nullptr});
  }
  for (std::string_view op : kHostOps) {
    KernelRegistrar(op, {"GPU", "", DType::kInvalid, &MakeHostKernel<false>, nullptr});
  }
  for (std::string_view op : kIntegerOps) {
    for (DType dtype : kIntTypes) {
      if ((op == "Mod" || op == "TruncateMod") && dtype != kInt32 && dtype != kInt64) continue;
      KernelRegistrar(op, {"GPU", "T", dtype, &MakeHostKernel<true>, nullptr});
    }
  }
  return true;
}();

}  // namespace
}  // namespace ramet::gpu
