#include "ramet/runtime/passes/fold_batch_norms.h"

#include <algorithm>
#include <string_view>

namespace ramet {
namespace {

using Kind = ChannelStep::Kind;

// A product and the steps after it that work on channels.
class ChannelChain {
 public:
  ChannelChain(const FusionBuilder& builder, int32_t product)
      : builder_(builder), shape_(builder.OutputShape(builder.step(product))), parts_{product} {
    for (const StepInput& input : builder.inputs_of(builder.step(product))) AddInput(input.slot);
  }

  // Joins steps as long as possible. Returns false if they are not worth a fusion.
  bool Run() {
    while (!ends_) {
      const int32_t next = builder_.flow().OnlyReaderOfFirst(parts_.back());
      if (!builder_.CanFuse(next) || !Join(builder_.step(next))) break;
      parts_.push_back(next);
    }
    return std::ranges::any_of(steps_, [](const ChannelStep& step) {
      return step.kind == Kind::kNormalize || step.kind == Kind::kMultiply;
    });
  }

  const std::vector<int32_t>& parts() const { return parts_; }
  const std::vector<ChannelStep>& steps() const { return steps_; }
  const std::vector<StepInput>& inputs() const { return inputs_; }

 private:
  void AddInput(int32_t slot) { inputs_.push_back({.slot = slot}); }

  bool Join(const Step& step) {
    const AttrMap& attrs = builder_.AttrsOf(step);
    if (attrs.GetOr<DType>("T", DType::kInvalid) != kFloat || step.inputs.size < 1) return false;
    const std::string_view op = builder_.OpOf(step);
    if (op == "Relu") return ends_ = Joined(Kind::kRelu);
    if (sum_ends_) return false;
    if (op == "FusedBatchNorm" || op == "FusedBatchNormV2" || op == "FusedBatchNormV3") {
      return JoinNormalization(step, attrs);
    }
    if (op == "BiasAdd") return IsLast(attrs) && IsFirst(step) && JoinRow(step, Kind::kAdd, 1);
    if (op == "Sub") return IsFirst(step) && JoinRow(step, Kind::kSubtract, 1);
    const int operand = IsFirst(step) ? 1 : 0;
    if (op == "Mul") return JoinRow(step, Kind::kMultiply, operand);
    if (op != "Add" && op != "AddV2") return false;
    return JoinRow(step, Kind::kAdd, operand) || JoinSum(step, operand);
  }

  bool Joined(Kind kind, float epsilon = 0) {
    steps_.push_back({kind, epsilon});
    return true;
  }

  // Reports whether the value of the chain is input 0 of a step.
  bool IsFirst(const Step& step) const {
    return builder_.InputSlot(step, 0) == builder_.step(parts_.back()).outputs.first;
  }

  static bool IsLast(const AttrMap& attrs) {
    const std::string format = attrs.GetOr<std::string>("data_format", "NHWC");
    return format == "NHWC" || format == "NDHWC";
  }

  bool JoinNormalization(const Step& step, const AttrMap& attrs) {
    if (attrs.GetOr("is_training", true) || !IsLast(attrs) || !IsFirst(step)) return false;
    if (step.inputs.size != 5 || IsReadBesides(step)) return false;
    for (int k = 1; k < 5; ++k) AddInput(builder_.InputSlot(step, k));
    return Joined(Kind::kNormalize, attrs.GetOr("epsilon", 1e-4f));
  }

  // Reports whether something reads a further output of a step, such as the moments.
  bool IsReadBesides(const Step& step) const {
    for (int k = 1; k < step.outputs.size; ++k) {
      const int32_t slot = step.outputs.first + k;
      if (builder_.flow().IsKept(slot) || !builder_.flow().ReadersOf(slot).empty()) return true;
    }
    return false;
  }

  bool JoinRow(const Step& step, Kind kind, int operand) {
    if (step.inputs.size != 2 || !IsRow(builder_.InputShape(step, operand))) return false;
    AddInput(builder_.InputSlot(step, operand));
    return Joined(kind);
  }

  // Reports whether a tensor of this shape has one number per channel.
  bool IsRow(const Shape& row) const {
    if (row.unknown_rank() || shape_.unknown_rank()) return false;
    if (row.rank() < 1 || row.rank() > shape_.rank()) return false;
    for (int d = 0; d + 1 < row.rank(); ++d) {
      if (row.dim(d) != 1) return false;
    }
    return row.dim(row.rank() - 1) >= 0 && row.dim(row.rank() - 1) == shape_.dim(shape_.rank() - 1);
  }

  // Joins the addition of a tensor that may have the shape of the result.
  bool JoinSum(const Step& step, int operand) {
    const Shape& shape = builder_.InputShape(step, operand);
    if (step.inputs.size != 2 || !shape.MergeWith(shape_).ok()) return false;
    AddInput(builder_.InputSlot(step, operand));
    sum_ends_ = true;
    return Joined(Kind::kAdd);
  }

  const FusionBuilder& builder_;
  const Shape& shape_;
  std::vector<int32_t> parts_;
  std::vector<ChannelStep> steps_;
  std::vector<StepInput> inputs_;
  bool sum_ends_ = false;  // only Relu may follow
  bool ends_ = false;
};

}  // namespace

void FoldBatchNorms(FusionBuilder* builder) {
  for (int32_t i = 0; i < builder->num_steps(); ++i) {
    if (!builder->CanFuse(i)) continue;
    auto* const kernel =
        dynamic_cast<EpilogueKernel*>(std::get<KernelStep>(builder->step(i).work).kernel);
    if (kernel == nullptr) continue;
    ChannelChain chain(*builder, i);
    if (!chain.Run()) continue;
    Fusion fusion;
    fusion.kernel = kernel;
    fusion.channel_steps = chain.steps();
    builder->Fuse(std::move(fusion), chain.parts(), chain.inputs());
  }
}

}  // namespace ramet
