#include "ramet/backends/gpu/ops/fused_elementwise.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ramet/backends/gpu/launch.h"
#include "ramet/backends/gpu/ops/fused_tree.h"

namespace ramet::gpu {
namespace {

class FusedElementwiseKernel final : public FusedKernel {
 public:
  explicit FusedElementwiseKernel(FusedTree tree)
      : tree_(std::move(tree)),
        program_(FusedProgram(tree_.parts(), tree_.inputs())),
        flat_{*program_.program, "fused_flat", program_.definitions},
        broadcast_{*program_.program, "fused_broadcast", program_.definitions} {}

  bool Compute(KernelContext& c) override {
    Shape shape;
    if (!tree_.SetShape(c, &shape)) return false;
    const int64_t n = shape.num_elements();
    FusedTree::Layout layout;
    const bool is_flat = tree_.IsFlat(c, n);
    if (!is_flat && !tree_.SetLayout(c, shape, &layout)) return false;
    const auto result = Output(c, shape);
    if (!result.ok()) return false;
    if (n == 0) return true;
    const Status status = is_flat ? LaunchFlat(c, **result) : LaunchBroadcast(c, layout, **result);
    return NoteFused(DeviceOf(c), program_.program->name, status);
  }

 private:
  // Reuses the buffer of an input of the result's dtype if it can.
  StatusOr<Tensor*> Output(KernelContext& c, const Shape& shape) const {
    const DType dtype = tree_.dtype();
    const std::span<const DType> inputs = tree_.inputs();
    std::array<int, FusedTree::kMaxInputs> same;
    const auto first = std::ranges::find(inputs, dtype);
    if (first == inputs.end()) return c.Allocate(0, dtype, shape);
    same.fill(static_cast<int>(first - inputs.begin()));
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == dtype) same[i] = static_cast<int>(i);
    }
    static_assert(FusedTree::kMaxInputs == 8);
    return c.ForwardOrAllocate(
        0, {same[0], same[1], same[2], same[3], same[4], same[5], same[6], same[7]}, dtype, shape);
  }

  Status LaunchFlat(KernelContext& c, const Tensor& result) const {
    const int64_t n = result.num_elements();
    std::vector<LaunchArgument> arguments = Tensors(c, result);
    for (int i = 0; i < c.num_inputs(); ++i) {
      arguments.emplace_back(Index{c.input(i).num_elements() == n ? 1 : 0});
    }
    arguments.emplace_back(Index{n});
    return LaunchForEach(c, flat_, n, arguments);
  }

  Status LaunchBroadcast(KernelContext& c, const FusedTree::Layout& layout,
                         const Tensor& result) const {
    const int64_t n = result.num_elements();
    std::vector<LaunchArgument> arguments = Tensors(c, result);
    arguments.push_back(StepsArgument(layout.dims, layout.rank, n));
    for (int i = 0; i < tree_.num_inputs(); ++i) {
      arguments.push_back(StepsArgument(layout.steps[i], layout.rank, n));
    }
    arguments.emplace_back(Index{layout.rank});
    arguments.emplace_back(Index{n});
    return LaunchForEach(c, broadcast_, n, arguments);
  }

  static std::vector<LaunchArgument> Tensors(const KernelContext& c, const Tensor& result) {
    std::vector<LaunchArgument> tensors;
    for (int i = 0; i < c.num_inputs(); ++i) tensors.emplace_back(c.input(i));
    tensors.emplace_back(result);
    return tensors;
  }

  const FusedTree tree_;
  const ProgramVariant program_;
  const KernelSpec flat_, broadcast_;
};

}  // namespace

// Kernels on doubles are errors on devices without them; a definition names the dtype.
bool NeedsDoubles(std::span<const CodePart> parts, std::span<const DType> inputs) {
  return std::ranges::find(inputs, kDouble) != inputs.end() ||
         std::ranges::any_of(parts, [](const CodePart& p) { return p.code.result == kDouble; });
}

ProgramVariant FusedProgram(std::span<const CodePart> parts, std::span<const DType> inputs) {
  return {&ProgramWith(FusedSource(parts, inputs).Elementwise()),
          NeedsDoubles(parts, inputs) ? Definitions{{"NEEDS", "f64"}} : Definitions{}};
}

bool FusableElementwise::SetCode(std::span<const FusedPart> parts, std::vector<CodePart>* made,
                                 std::span<DType> inputs) {
  for (const FusedPart& part : parts) {
    const auto* const kernel = dynamic_cast<const FusableElementwise*>(part.kernel);
    if (kernel == nullptr) return false;
    made->push_back({kernel->code(), part.operands});
    for (const FusedOperand& operand : part.operands) {
      if (!operand.is_part) inputs[operand.index] = made->back().code.operand;
    }
  }
  return true;
}

std::unique_ptr<FusedKernel> FusableElementwise::Fuse(std::span<const FusedPart> parts,
                                                      int num_inputs) const {
  std::vector<CodePart> made;
  std::vector<DType> inputs(num_inputs, DType::kInvalid);
  if (!SetCode(parts, &made, inputs)) return nullptr;
  return std::make_unique<FusedElementwiseKernel>(FusedTree(std::move(made), std::move(inputs)));
}

}  // namespace ramet::gpu
