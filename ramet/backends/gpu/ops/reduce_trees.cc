#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "ramet/backends/gpu/ops/cpu_kernels.h"
#include "ramet/backends/gpu/ops/families.h"
#include "ramet/backends/gpu/ops/fused_tree.h"
#include "ramet/backends/gpu/ops/program_variants.h"
#include "ramet/backends/gpu/ops/type_sets.h"
#include "ramet/op/op.h"

// Reductions of real numbers, which compute a tree of element-wise ops on the way.

namespace ramet::gpu {
namespace {

using linalg::ReduceOp;
using linalg::ReducePlan;

constexpr int kMaxRank = ReducePlan::kMaxDims;

// Sets the dimensions that the axes, in host memory, name. Returns false if they are invalid, or if
// there are none.
bool SetReduced(const Tensor& axes, int rank, std::span<bool> reduced) {
  for (int64_t i = 0; i < axes.num_elements(); ++i) {
    const int64_t axis = axes.dtype() == kInt32 ? axes.flat<int32_t>()[i] : axes.flat<int64_t>()[i];
    if (axis < -rank || axis >= rank) return false;
    bool& is_reduced = reduced[axis < 0 ? axis + rank : axis];
    if (is_reduced) return false;
    is_reduced = true;
  }
  return axes.num_elements() > 0;
}

Shape ReducedShape(const Shape& shape, std::span<const bool> reduced, bool keep_dims) {
  Shape result;
  for (int d = 0; d < shape.rank(); ++d) {
    if (!reduced[d]) {
      result.Append(shape.dim(d));
    } else if (keep_dims) {
      result.Append(1);
    }
  }
  return result;
}

// Returns the program that reduces the values of a tree.
const Program& ReduceProgram(std::span<const CodePart> parts, std::span<const DType> inputs) {
  return ProgramWith(StrCat(FusedSource(parts, inputs).Operands(), kReduceProgram.source));
}

// Its inputs are those of the tree, and the axes.
class FusedReduceKernel final : public FusedKernel {
 public:
  FusedReduceKernel(ReduceOp op, bool keep_dims, FusedTree tree)
      : op_(op),
        keep_dims_(keep_dims),
        tree_(std::move(tree)),
        program_(ReduceProgram(tree_.parts(), tree_.inputs())) {}

  // Errors are left to the separate kernels.
  bool Compute(KernelContext& c) override {
    Shape shape;
    std::array<bool, kMaxRank> reduced = {};
    if (!tree_.SetShape(c, &shape) || shape.rank() > kMaxRank ||
        !SetReduced(c.input(tree_.num_inputs()), shape.rank(), reduced)) {
      return false;
    }
    const int64_t n = shape.num_elements();
    const ReducePlan plan =
        ReducePlan::Make(shape.dims(), std::span(reduced).first(static_cast<size_t>(shape.rank())));
    FusedTree::Layout layout;
    if (n == 0 || n > std::numeric_limits<int32_t>::max() || !CanReduceInPlace(plan)) return false;
    if (!tree_.SetLayout(c, shape, &layout)) return false;
    if (!tree_.AllocateKept(c, shape)) return tree_.DropOutputs(c);
    const Shape reduced_shape = ReducedShape(shape, reduced, keep_dims_);
    const auto result = c.Allocate(tree_.num_kept(), tree_.dtype(), reduced_shape);
    return (result.ok() && Start(c, plan, layout, n, **result)) || tree_.DropOutputs(c);
  }

 private:
  bool Start(KernelContext& c, const ReducePlan& plan, const FusedTree::Layout& layout, int64_t n,
             Tensor& result) const {
    const int rank = kCompiledRanks[RankIndex(layout.rank)];
    ComputedOperand operand = {program_, tree_.dtype(), {}, rank};
    operand.arguments.reserve(2 * static_cast<size_t>(c.num_inputs() + tree_.num_kept()) + 1);
    for (int i = 0; i < tree_.num_inputs(); ++i) operand.arguments.emplace_back(c.input(i));
    for (int k = 0; k < tree_.num_kept(); ++k) operand.arguments.emplace_back(c.output(k).tensor);
    AppendSteps(layout, tree_.num_inputs(), n, &operand.arguments);
    return NoteFused(DeviceOf(c), program_.name,
                     ReduceComputed(DeviceOf(c), op_, plan, operand, result));
  }

  const ReduceOp op_;
  const bool keep_dims_;
  const FusedTree tree_;
  const Program& program_;
};

ReduceOp ReduceOpOf(std::string_view op) {
  if (op == "Mean") return ReduceOp::kMean;
  if (op == "Prod") return ReduceOp::kProd;
  if (op == "Max") return ReduceOp::kMax;
  return op == "Min" ? ReduceOp::kMin : ReduceOp::kSum;
}

class ReduceKernel final : public Kernel, public FusableKernel {
 public:
  ReduceKernel(std::unique_ptr<Kernel> kernel, const KernelNode& node)
      : kernel_(std::move(kernel)),
        op_(ReduceOpOf(node.op)),
        keep_dims_(node.attrs->GetOr("keep_dims", false)),
        dtype_(BaseType(node.input_types[0])) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(auto kernel, MakeCpuKernel(node));
    return std::unique_ptr<Kernel>(std::make_unique<ReduceKernel>(std::move(kernel), node));
  }

  Status Compute(KernelContext& c) override { return kernel_->Compute(c); }

  bool ends_trees() const override { return true; }
  std::unique_ptr<FusedKernel> Fuse(std::span<const FusedPart> parts,
                                    int num_inputs) const override {
    const std::span<const FusedPart> tree = parts.first(parts.size() - 1);
    std::vector<CodePart> made;
    std::vector<DType> inputs(num_inputs - 1, DType::kInvalid);  // the last one is the axes
    if (!FusableElementwise::SetCode(tree, &made, inputs)) return nullptr;
    // The definitions of the reduction say whether the program needs doubles.
    if (made.back().code.result != dtype_) return nullptr;
    if (NeedsDoubles(made, inputs) && dtype_ != kDouble) return nullptr;
    return std::make_unique<FusedReduceKernel>(op_, keep_dims_,
                                               FusedTree(std::move(made), std::move(inputs)));
  }

 private:
  const std::unique_ptr<Kernel> kernel_;
  const ReduceOp op_;
  const bool keep_dims_;
  const DType dtype_;
};

[[maybe_unused]] const bool reductions_registered = [] {
  for (std::string_view op : {"Max", "Mean", "Min", "Prod", "Sum"}) {
    for (DType dtype : kRealTypes) {
      KernelRegistrar(op, {"GPU", "T", dtype, &ReduceKernel::Make, nullptr});
    }
  }
  return true;
}();

}  // namespace

std::vector<ProgramVariant> ReduceTreeVariants() {
  std::vector<ProgramVariant> all;
  for (DType dtype : kRealTypes) {
    const ElementwiseCode product = {ElementwiseForm::kBroadcast, dtype, dtype, "a * b"};
    const DType inputs[] = {dtype, dtype};
    const auto add = [&](ReduceOp op, int rank) {
      const CodePart parts[] = {{product, {{false, 0}, {false, 1}}, op == ReduceOp::kSum}};
      Definitions definitions = ReduceDefinitions(op, 0, dtype, dtype, {1, 1});
      definitions.emplace_back("RANK", StrCat(rank));
      all.push_back({&ReduceProgram(parts, inputs), std::move(definitions)});
    };
    for (ReduceOp op : {ReduceOp::kMean, ReduceOp::kMax}) add(op, 1);
    for (int rank : kCompiledRanks) add(ReduceOp::kSum, rank);
  }
  return all;
}

}  // namespace ramet::gpu
