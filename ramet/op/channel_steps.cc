#include "ramet/op/channel_steps.h"

#include <algorithm>

namespace ramet {
namespace {

using Kind = ChannelStep::Kind;

// Reports whether a tensor has one float per channel, and broadcasts to a value of this shape.
bool IsRow(const Tensor& t, const Shape& shape) {
  if (t.empty() || t.dtype() != DType::kFloat || t.rank() < 1 || t.rank() > shape.rank()) {
    return false;
  }
  const int64_t channels = shape.dim(shape.rank() - 1);
  return t.dim(t.rank() - 1) == channels && t.num_elements() == channels;
}

// Works on the operands of the steps in order.
class Resolver {
 public:
  Resolver(KernelContext& c, int first_input, const Shape& shape)
      : c_(c), next_(first_input), shape_(shape), numbers_(shape.dim(shape.rank() - 1)) {}

  bool Run(std::span<const ChannelStep> steps) {
    return std::ranges::all_of(steps, [this](const ChannelStep& step) { return Add(step); });
  }
  linalg::ChannelEpilogue epilogue() const {
    linalg::ChannelEpilogue epilogue = numbers_.epilogue();
    epilogue.addend = addend_;
    epilogue.relu = relu_;
    return epilogue;
  }

 private:
  // Returns the next operand, or null if it is not a row.
  const float* Row() {
    const Tensor& t = c_.input(next_++);
    return IsRow(t, shape_) ? t.data<float>() : nullptr;
  }

  bool Add(const ChannelStep& step) {
    if (relu_ || (addend_ != nullptr && step.kind != Kind::kRelu)) return false;
    if (step.kind == Kind::kRelu) return relu_ = true;
    if (step.kind == Kind::kNormalize) return Normalize(step.epsilon);
    const Tensor& operand = c_.input(next_);
    if (step.kind == Kind::kAdd && !operand.empty() && operand.dtype() == DType::kFloat &&
        operand.shape() == shape_) {
      ++next_;
      addend_ = operand.data<float>();
      return true;
    }
    const float* const row = Row();
    if (row == nullptr) return false;
    if (step.kind == Kind::kAdd) numbers_.Add(row);
    if (step.kind == Kind::kSubtract) numbers_.Subtract(row);
    if (step.kind == Kind::kMultiply) numbers_.Multiply(row);
    return true;
  }

  bool Normalize(float epsilon) {
    const float *scale = Row(), *offset = Row(), *mean = Row(), *variance = Row();
    if (!scale || !offset || !mean || !variance) return false;
    numbers_.Normalize(scale, offset, mean, variance, epsilon);
    return true;
  }

  KernelContext& c_;
  int next_;
  const Shape& shape_;
  linalg::ChannelNumbers numbers_;
  const float* addend_ = nullptr;
  bool relu_ = false;
};

}  // namespace

bool ResolveChannelSteps(std::span<const ChannelStep> steps, KernelContext& c, int first_input,
                         const Shape& shape, linalg::ChannelEpilogue* epilogue) {
  Resolver resolver(c, first_input, shape);
  if (!resolver.Run(steps)) return false;
  *epilogue = resolver.epilogue();
  return true;
}

}  // namespace ramet
