#include "ramet/runtime/passes/fold_constants.h"

#include <algorithm>

#include "ramet/base/float_control.h"
#include "ramet/graph/fold_node.h"

namespace ramet {
namespace {

// A plan keeps its constants as long as it lives, so larger results are computed in each run.
constexpr size_t kMaxConstantBytes = size_t{4} << 20;
constexpr int64_t kMaxPlanBytes = int64_t{64} << 20;
// Elements that kernels may read or write for one plan, which takes up to about 50 ms.
constexpr int64_t kMaxPlanWork = int64_t{1} << 25;
constexpr int64_t kWorkOfKernel = 64;

class ConstantFolder {
 public:
  explicit ConstantFolder(PlanEditor* editor) : editor_(*editor) {}

  int64_t Run() {
    const ScopedFlushDenormals flush;
    int64_t folded = 0;
    for (int32_t i = 0; i < editor_.num_steps(); ++i) folded += TryFold(i);
    return folded;
  }

 private:
  bool TryFold(int32_t i) {
    const Step& step = editor_.step(i);
    const auto* const kernel = std::get_if<KernelStep>(&step.work);
    if (kernel == nullptr || step.may_be_dead || step.inputs.size == 0) return false;
    if (!MayBeFolded(editor_.graph(), editor_.NodeOf(step)) || !TakeInputs(step)) return false;
    const auto outputs = ComputeFolded(*kernel->kernel, inputs_, step.outputs.size, &allocator_);
    if (outputs.empty() || !Keep(outputs)) return false;
    for (int k = 0; k < step.outputs.size; ++k) {
      editor_.Replace(step.outputs.first + k, editor_.AddConstant(outputs[k]));
    }
    return true;
  }

  // Collects the inputs of a step. Returns false if one is not a constant or if the work would be
  // too much.
  bool TakeInputs(const Step& step) {
    inputs_.clear();
    int64_t work = kWorkOfKernel;
    for (int k = 0; k < step.inputs.size; ++k) {
      const Tensor* const value = editor_.ConstantIn(editor_.InputSlot(step, k));
      if (value == nullptr || DTypeSize(value->dtype()) == 0) return false;
      inputs_.push_back(*value);
      work += std::min(LoopsOver(value->shape()), kMaxPlanWork);
    }
    for (int k = 0; k < step.outputs.size; ++k) {
      const Shape& shape = editor_.graph().output({step.node, k}).shape;
      work += std::min(std::max<int64_t>(LoopsOver(shape), 0), kMaxPlanWork);
    }
    if (work > work_left_) return false;
    work_left_ -= work;
    return true;
  }

  // Reports whether the plan may keep these results. A tensor that shares its buffer with an input
  // takes no memory.
  bool Keep(const std::vector<Tensor>& outputs) {
    int64_t bytes = 0;
    for (const Tensor& output : outputs) {
      if (output.empty()) return false;
      const bool is_shared = std::ranges::any_of(
          inputs_, [&](const Tensor& in) { return in.buffer().get() == output.buffer().get(); });
      if (!is_shared) bytes += static_cast<int64_t>(output.bytes());
    }
    if (bytes > bytes_left_) return false;
    bytes_left_ -= bytes;
    return true;
  }

  PlanEditor& editor_;
  FoldingAllocator allocator_{kMaxConstantBytes};
  int64_t work_left_ = kMaxPlanWork;
  int64_t bytes_left_ = kMaxPlanBytes;
  std::vector<Tensor> inputs_;
};

}  // namespace

int64_t FoldConstants(PlanEditor* editor) { return ConstantFolder(editor).Run(); }

}  // namespace ramet
