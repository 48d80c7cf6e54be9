#include "ramet/runtime/fused_elementwise.h"

#include <algorithm>
#include <array>

#include "ramet/linalg/parallel.h"
#include "ramet/linalg/stream_copy.h"

namespace ramet {
namespace {

// Blocks of a size that stays in the first-level cache (docs/decisions/0075-streamed-updates.md).
constexpr int64_t kBlockBytes = linalg::kStreamBlockBytes;
// 64 KiB, so that a thread has work for several microseconds (`ramet_bench
// --benchmark_filter=ramet/polyak`).
constexpr int64_t kBlocksPerTask = 16;

}  // namespace

// One computation.
class FusedElementwise::Run {
 public:
  Run(const FusedElementwise& pass, KernelContext& context)
      : pass_(pass),
        context_(context),
        width_(static_cast<int64_t>(DTypeSize(pass.dtype_))),
        block_(kBlockBytes / width_) {
    for (int i = 0; i < pass.num_inputs_ && pass.target_ >= 0; ++i) {
      if (context.variable(i) != nullptr && !IsTarget(i)) {
        read_[i] = context.Read(*context.variable(i));
      }
    }
  }

  // Takes the inputs; `old` is the target's value, if there is a target. Returns false if they do
  // not fit.
  bool Take(const Tensor& old) {
    const Tensor* widest = nullptr;
    for (int i = 0; i < pass_.num_inputs_; ++i) {
      const Tensor& value = InputOf(i, old);
      if (value.empty() || value.dtype() != pass_.dtype_) return false;
      inputs_[i] = {static_cast<const char*>(value.raw_data()), value.num_elements() == 1};
      if (i == pass_.target_) continue;
      if (widest == nullptr || IsWider(value, *widest)) widest = &value;
    }
    for (int i = 0; i < pass_.num_inputs_; ++i) {
      const Shape& shape = InputOf(i, old).shape();
      const bool scalar = inputs_[i].is_scalar && i != pass_.target_;
      if (scalar ? shape.rank() > widest->rank() : shape != widest->shape()) return false;
    }
    shape_ = &widest->shape();
    count_ = widest->num_elements();
    for (Value& input : inputs_) input.is_scalar &= count_ != 1;
    return true;
  }

  const Shape& shape() const { return *shape_; }

  // Writes the result to `out`, which may be an input's buffer; past the caches if `streamed`.
  void Write(char* out, bool streamed) const {
    linalg::ParallelFor((count_ + block_ - 1) / block_, kBlocksPerTask,
                        [&](int64_t begin, int64_t end) {
                          Scratch scratch;
                          for (int64_t b = begin; b < end; ++b) {
                            const int64_t first = b * block_, n = std::min(block_, count_ - first);
                            char* to = out + first * width_;
                            WriteBlock(first, n, streamed ? scratch.back().data() : to, &scratch);
                            if (streamed) Stream(to, scratch.back(), first, n);
                          }
                          if (streamed) linalg::StreamFence();
                        });
  }

 private:
  // Not zeroed, since blocks are short (docs/decisions/0075-streamed-updates.md).
  struct Value {
    const char* data;
    bool is_scalar;
  };
  using Block = std::array<char, kBlockBytes>;
  struct alignas(64) Scratch : std::array<Block, kMaxInputs> {};

  bool IsTarget(int i) const {
    return pass_.target_ >= 0 && context_.variable(i) == context_.variable(pass_.target_);
  }

  const Tensor& InputOf(int i, const Tensor& old) const {
    if (pass_.target_ < 0 || context_.variable(i) == nullptr) return context_.input(i);
    return IsTarget(i) ? old : read_[i];
  }

  static bool IsWider(const Tensor& value, const Tensor& than) {
    if (than.num_elements() != 1) return false;
    return value.num_elements() != 1 || value.rank() > than.rank();
  }

  // Copies elements [first, first + n) of the result from `made`.
  void Stream(char* to, const Block& made, int64_t first, int64_t n) const {
    std::array<const char*, kMaxInputs> next;
    size_t count = 0;
    for (int i = 0; i < pass_.num_inputs_; ++i) {
      if (!inputs_[i].is_scalar) next[count++] = inputs_[i].data + (first + n) * width_;
    }
    linalg::StreamCopy(to, made.data(), static_cast<size_t>(n * width_),
                       std::span(next).first(count));
  }

  // Writes elements [first, first + n) of the result to `out`.
  void WriteBlock(int64_t first, int64_t n, char* out, Scratch* scratch) const {
    std::array<Value, kMaxInputs> made;
    const auto value_of = [&](Operand operand) {
      if (operand.is_step) return made[operand.index];
      const Value& input = inputs_[operand.index];
      return Value{input.is_scalar ? input.data : input.data + first * width_, input.is_scalar};
    };
    for (size_t s = 0; s < pass_.steps_.size(); ++s) {
      const Value a = value_of(pass_.steps_[s].a), b = value_of(pass_.steps_[s].b);
      char* to = s + 1 == pass_.steps_.size() ? out : (*scratch)[s].data();
      made[s] = {to, a.is_scalar && b.is_scalar};
      Apply(pass_.steps_[s].op, a, b, to, n);
    }
  }

  void Apply(linalg::BinaryOp op, const Value& a, const Value& b, char* to, int64_t n) const {
    const auto type = static_cast<linalg::Type>(pass_.dtype_);
    if (a.is_scalar == b.is_scalar) {
      linalg::Binary(op, type, a.data, b.data, to, a.is_scalar ? 1 : n);
    } else {
      linalg::Binary(op, type,
                     a.is_scalar ? linalg::BroadcastPlan::ScalarLeft(n)
                                 : linalg::BroadcastPlan::ScalarRight(n),
                     a.data, b.data, to);
    }
  }

  const FusedElementwise& pass_;
  KernelContext& context_;
  const int64_t width_, block_;
  std::array<Tensor, kMaxInputs> read_;  // of variables that are not the target
  std::array<Value, kMaxInputs> inputs_ = {};
  const Shape* shape_ = nullptr;
  int64_t count_ = 0;
};

bool FusedElementwise::Compute(KernelContext& c) const {
  Run run(*this, c);
  if (target_ < 0) {
    if (!run.Take(Tensor())) return false;
    static_assert(kMaxInputs == 8);
    const auto at = [this](int i) { return std::min(i, num_inputs_ - 1); };
    auto y = c.ForwardOrAllocate(0, {0, at(1), at(2), at(3), at(4), at(5), at(6), at(7)}, dtype_,
                                 run.shape());
    if (!y.ok()) return false;
    run.Write(static_cast<char*>((*y)->raw_data()), false);
    return true;
  }
  if (c.variable(target_) == nullptr) return false;
  {
    const Tensor old = c.Read(*c.variable(target_));
    if (old.empty() || !run.Take(old)) return false;
  }
  const Status status = c.ModifyRef(target_, [&](const Tensor& old, Tensor& out) -> Status {
    if (!run.Take(old)) return Internal("the variable has another shape now");
    const bool fresh = out.raw_data() != old.raw_data();
    run.Write(static_cast<char*>(out.raw_data()), fresh && out.bytes() >= linalg::kStreamedBytes);
    return OkStatus();
  });
  if (!status.ok()) return false;
  if (c.num_outputs() > 0) c.SetRefOutput(0, c.variable(target_));
  return true;
}

}  // namespace ramet
