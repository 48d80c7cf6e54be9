#include <algorithm>
#include <deque>

#include "ramet/op/op.h"
#include "ramet/ops/queue/session_resource.h"
#include "ramet/ops/queue/staging.h"

namespace ramet {
namespace {

// A StagingBuffer is a FIFO of tuples with limits on their number and memory. Thread-safe.
class StagingBuffer final : public Resource {
 public:
  static constexpr std::string_view kKind = "staging area";
  explicit StagingBuffer(StagingLimits limits) : limits_(limits) {}
  std::string_view type_name() const override { return kKind; }

  // Waits until there is room.
  // \error kResourceExhausted: the tuple is larger than the memory limit.
  Status Put(const Cancellation* cancellation, Tuple tuple) {
    const int64_t bytes = TupleBytes(tuple);
    RAMET_RETURN_IF_ERROR(limits_.CheckSize(bytes));
    const auto step = [&](Status&) {
      if (!limits_.HaveRoom(std::ssize(tuples_), bytes_, bytes)) return Progress::kNone;
      bytes_ += bytes;
      tuples_.push_back(std::move(tuple));
      return Progress::kDone;
    };
    return room_.Perform(cancellation, producers_, "Stage", step, [] {});
  }

  StatusOr<Tuple> Get(const Cancellation* cancellation) {
    Tuple first;
    const auto step = [&](Status&) {
      if (tuples_.empty()) return Progress::kNone;
      first = std::move(tuples_.front());
      tuples_.pop_front();
      bytes_ -= TupleBytes(first);
      return Progress::kDone;
    };
    RAMET_RETURN_IF_ERROR(room_.Perform(cancellation, consumers_, "Unstage", step, [] {}));
    return first;
  }

  // Returns tuple `index`, counted from the oldest; waits until there is one.
  StatusOr<Tuple> Peek(const Cancellation* cancellation, int64_t index) {
    Tuple found;
    WaitingRoom::Line alone;  // a peek waits for no other
    const auto step = [&](Status&) {
      if (index >= std::ssize(tuples_)) return Progress::kNone;
      found = tuples_[index];
      return Progress::kDone;
    };
    RAMET_RETURN_IF_ERROR(room_.Perform(cancellation, alone, "StagePeek", step, [] {}));
    return found;
  }

  int64_t size() {
    MutexLock lock(room_.mutex());
    return std::ssize(tuples_);
  }
  void Clear() {
    MutexLock lock(room_.mutex());
    tuples_.clear();
    bytes_ = 0;
    room_.Advance();
  }

 private:
  const StagingLimits limits_;
  WaitingRoom room_;
  WaitingRoom::Line producers_, consumers_;
  std::deque<Tuple> tuples_;
  int64_t bytes_ = 0;
};

using StageKernel = StagingKernel<StagingBuffer>;

class PutKernel final : public StageKernel {
 public:
  using StageKernel::StageKernel;
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<PutKernel>(node));
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(Tuple tuple, InputsFrom(c, 0));
    RAMET_ASSIGN_OR_RETURN(auto buffer, Area(c));
    return buffer->Put(c.cancellation(), std::move(tuple));
  }
};

template <bool peek>
class GetKernel final : public StageKernel {
 public:
  using StageKernel::StageKernel;
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<GetKernel>(node));
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(auto buffer, Area(c));
    int64_t index = 0;
    if constexpr (peek) {
      if (c.input(0).num_elements() != 1 || c.input(0).scalar<int32_t>() < 0) {
        return InvalidArgument("index must be a scalar of at least 0, but is ",
                               c.input(0).ToString());
      }
      index = c.input(0).scalar<int32_t>();
    }
    RAMET_ASSIGN_OR_RETURN(
        Tuple tuple, peek ? buffer->Peek(c.cancellation(), index) : buffer->Get(c.cancellation()));
    if (std::ssize(tuple) != c.num_outputs()) {
      return InvalidArgument("Mismatch stage/unstage: ", tuple.size(), " vs. ", c.num_outputs());
    }
    return Output(c, 0, std::move(tuple));
  }
};

class StageSizeKernel final : public StageKernel {
 public:
  using StageKernel::StageKernel;
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<StageSizeKernel>(node));
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(auto buffer, Area(c));
    c.SetOutput(0, Tensor(static_cast<int32_t>(buffer->size())));
    return OkStatus();
  }
};

class StageClearKernel final : public StageKernel {
 public:
  using StageKernel::StageKernel;
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<StageClearKernel>(node));
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(auto buffer, Area(c));
    buffer->Clear();
    return OkStatus();
  }
};

#define RAMET_STAGE_ATTRS(dtypes)              \
  Attr("capacity: int >= 0 = 0")               \
      .Attr("memory_limit: int >= 0 = 0")      \
      .AttrRange("memory_limit", 0, INT64_MAX) \
      .Attr(dtypes)                            \
      .Attr("container: string = ''")          \
      .Attr("shared_name: string = ''")        \
      .Stateful()

RAMET_OP("Stage")
    .Input("values: dtypes")
    .RAMET_STAGE_ATTRS("dtypes: list(type) >= 1")
    .Doc(
        "Adds a tuple to a staging area, a FIFO in the session with the name shared_name, or that "
        "of the node. Waits while it has `capacity` tuples or memory_limit bytes; 0 means no "
        "limit. "
        "Error: the tuple is larger than memory_limit (kResourceExhausted).")
    .Shape(NoOutputs)
    .CpuKernelClass<PutKernel>();

RAMET_OP("Unstage")
    .Output("values: dtypes")
    .RAMET_STAGE_ATTRS("dtypes: list(type) >= 1")
    .Doc(
        "Removes the oldest tuple from a staging area; waits for one. Error: it has a different "
        "number of tensors.")
    .Shape(UnknownShape)
    .CpuKernelClass<GetKernel<false>>();

RAMET_OP("StagePeek")
    .Input("index: int32")
    .Output("values: dtypes")
    .RAMET_STAGE_ATTRS("dtypes: list(type) >= 1")
    .Doc(
        "Returns tuple `index` of a staging area, counted from the oldest; waits for it. Error: "
        "index is negative; the tuple has a different number of tensors.")
    .Shape(UnknownShape)
    .CpuKernelClass<GetKernel<true>>();

RAMET_OP("StageSize")
    .Output("size: int32")
    .RAMET_STAGE_ATTRS("dtypes: list(type)")
    .Doc("Returns the number of tuples in a staging area.")
    .Shape(ScalarShape)
    .CpuKernelClass<StageSizeKernel>();

RAMET_OP("StageClear")
    .RAMET_STAGE_ATTRS("dtypes: list(type)")
    .Doc("Removes all tuples from a staging area.")
    .Shape(NoOutputs)
    .CpuKernelClass<StageClearKernel>();

#undef RAMET_STAGE_ATTRS

}  // namespace
}  // namespace ramet
