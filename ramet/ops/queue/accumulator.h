#pragma once

#include <memory>
#include <string>

#include "ramet/op/kernel.h"
#include "ramet/ops/queue/waiting_room.h"

namespace ramet {

// The declaration of a conditional accumulator: its name and attrs.
struct AccumulatorSpec {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape;        // may be unknown
  bool mean = false;  // or sum
};

// A ConditionalAccumulator adds up gradients until enough of them have come. Gradients of steps
// before its global step are dropped. Each result raises the global step. G is the form of a
// gradient: a Tensor, or SparseGradient. Thread-safe.
template <class G>
class ConditionalAccumulator : public Resource {
 public:
  static constexpr std::string_view kKind = "accumulator";

  explicit ConditionalAccumulator(AccumulatorSpec spec) : spec_(std::move(spec)) {}
  std::string_view type_name() const override { return kKind; }
  const AccumulatorSpec& spec() const { return spec_; }

  // \error kInvalidArgument: a node declares an accumulator of this name in a different way.
  Status CheckSame(const ConditionalAccumulator& wanted) const {
    if (spec_.dtype == wanted.spec_.dtype && spec_.shape == wanted.spec_.shape) return OkStatus();
    return InvalidArgument("Shared conditional accumulator '", spec_.name, "' has dtype ",
                           DTypeName(spec_.dtype), " and shape ", spec_.shape, ", but expected ",
                           DTypeName(wanted.spec_.dtype), " and ", wanted.spec_.shape);
  }

  // \error kInvalidArgument: the gradient does not fit.
  Status Apply(int64_t local_step, G gradient) {
    MutexLock lock(room_.mutex());
    if (local_step < global_step_) return OkStatus();
    RAMET_RETURN_IF_ERROR(Check(gradient));
    RAMET_RETURN_IF_ERROR(count_ == 0 ? Start(std::move(gradient)) : Add(gradient));
    ++count_;
    room_.Advance();
    return OkStatus();
  }

  // Returns the mean or the sum of the gradients, after waiting for at least `num_required`.
  // \error kInvalidArgument: num_required is not positive.
  // \error kCancelled: the run must stop.
  StatusOr<G> Take(const Cancellation* cancellation, int64_t num_required) {
    if (num_required <= 0) {
      return InvalidArgument("Argument num_required must be positive, but was ", num_required);
    }
    G result;
    const auto step = [&](Status& status) {
      if (count_ < num_required) return Progress::kNone;
      StatusOr<G> total = Total();
      status = total.status();
      if (total.ok()) result = *std::move(total);
      count_ = 0;
      ++global_step_;
      return Progress::kDone;
    };
    RAMET_RETURN_IF_ERROR(room_.Perform(cancellation, takers_, "TakeGrad", step, [] {}));
    return result;
  }

  void SetGlobalStep(int64_t step) {
    MutexLock lock(room_.mutex());
    global_step_ = step;
  }
  int64_t num_accumulated() {
    MutexLock lock(room_.mutex());
    return count_;
  }

 protected:
  // The functions below are called under the lock.
  virtual Status Check(const G& gradient) const = 0;
  virtual Status Start(G gradient) = 0;
  virtual Status Add(const G& gradient) = 0;
  // Returns the sum or the mean, and forgets it.
  virtual StatusOr<G> Total() = 0;
  int64_t count() const { return count_; }

 private:
  const AccumulatorSpec spec_;
  WaitingRoom room_;
  WaitingRoom::Line takers_;
  int64_t count_ = 0;
  int64_t global_step_ = 0;
};

// Rows of a gradient. `shape` is that of the whole gradient, or empty if it is not known.
struct SparseGradient {
  Tensor indices, values, shape;
};

using DenseAccumulator = ConditionalAccumulator<Tensor>;
using SparseAccumulator = ConditionalAccumulator<SparseGradient>;

// Make the accumulator of a node, of dtype half, float or double.
StatusOr<std::shared_ptr<DenseAccumulator>> MakeDenseAccumulator(const KernelNode& node,
                                                                 const std::string& name);
StatusOr<std::shared_ptr<SparseAccumulator>> MakeSparseAccumulator(const KernelNode& node,
                                                                   const std::string& name);

}  // namespace ramet
