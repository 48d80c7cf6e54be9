#include "ramet/backends/gpu/ops/fused_elementwise.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ramet/backends/gpu/kernels/kernels.h"
#include "ramet/backends/gpu/launch.h"
#include "ramet/backends/gpu/ops/fused_tree.h"

namespace ramet::gpu {
namespace {

class FusedElementwiseKernel final : public FusedKernel {
 public:
  explicit FusedElementwiseKernel(FusedTree tree)
      : tree_(std::move(tree)), kernels_(Kernels(tree_)) {}

  bool Compute(KernelContext& c) override {
    Shape shape;
    if (!tree_.SetShape(c, &shape)) return false;
    const int64_t n = shape.num_elements();
    FusedTree::Layout layout;
    if (!tree_.SetLayout(c, shape, &layout)) return false;
    if (!tree_.AllocateKept(c, shape) || !Output(c, shape).ok()) return tree_.DropOutputs(c);
    if (n == 0) return true;
    const KernelSpec& kernel = kernels_[RankIndex(layout.rank)];
    return NoteFused(DeviceOf(c), kernel.program.name, Start(c, kernel, layout, n)) ||
           tree_.DropOutputs(c);
  }

 private:
  // Returns a kernel for each of kCompiledRanks.
  static std::vector<KernelSpec> Kernels(const FusedTree& tree) {
    std::vector<KernelSpec> kernels;
    for (int rank : kCompiledRanks) {
      ProgramVariant made = FusedProgram(tree.parts(), tree.inputs(), rank);
      kernels.push_back({*made.program, "fused", std::move(made.definitions)});
    }
    return kernels;
  }

  // Reuses the buffer of an input of the result's dtype if it can.
  StatusOr<Tensor*> Output(KernelContext& c, const Shape& shape) const {
    const DType dtype = tree_.dtype();
    const std::span<const DType> inputs = tree_.inputs();
    std::array<int, FusedTree::kMaxInputs> same;
    const auto first = std::ranges::find(inputs, dtype);
    if (first == inputs.end()) return c.Allocate(tree_.num_kept(), dtype, shape);
    same.fill(static_cast<int>(first - inputs.begin()));
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == dtype) same[i] = static_cast<int>(i);
    }
    static_assert(FusedTree::kMaxInputs == 8);
    return c.ForwardOrAllocate(
        tree_.num_kept(), {same[0], same[1], same[2], same[3], same[4], same[5], same[6], same[7]},
        dtype, shape);
  }

  Status Start(KernelContext& c, const KernelSpec& kernel, const FusedTree::Layout& layout,
               int64_t n) const {
    std::vector<LaunchArgument> arguments;
    arguments.reserve(2 * static_cast<size_t>(c.num_inputs() + tree_.num_kept()) + 3);
    for (int i = 0; i < c.num_inputs(); ++i) arguments.emplace_back(c.input(i));
    for (int k = 0; k <= tree_.num_kept(); ++k) arguments.emplace_back(c.output(k).tensor);
    AppendSteps(layout, tree_.num_inputs(), n, &arguments);
    arguments.emplace_back(Index{n});
    return LaunchForEach(c, kernel, n, arguments);
  }

  const FusedTree tree_;
  const std::vector<KernelSpec> kernels_;
};

}  // namespace

// Kernels on doubles are errors on devices without them; a definition names the dtype.
bool NeedsDoubles(std::span<const CodePart> parts, std::span<const DType> inputs) {
  return std::ranges::find(inputs, kDouble) != inputs.end() ||
         std::ranges::any_of(parts, [](const CodePart& p) { return p.code.result == kDouble; });
}

ProgramVariant FusedProgram(std::span<const CodePart> parts, std::span<const DType> inputs,
                            int rank) {
  Definitions definitions = {{"RANK", StrCat(rank)}};
  if (NeedsDoubles(parts, inputs)) definitions.emplace_back("NEEDS", "f64");
  return {&ProgramWith(FusedSource(parts, inputs).Elementwise()), std::move(definitions)};
}

bool FusableElementwise::SetCode(std::span<const FusedPart> parts, std::vector<CodePart>* made,
                                 std::span<DType> inputs) {
  for (const FusedPart& part : parts) {
    const auto* const kernel = dynamic_cast<const FusableElementwise*>(part.kernel);
    if (kernel == nullptr) return false;
    made->push_back({kernel->code(), part.operands, part.is_kept});
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
