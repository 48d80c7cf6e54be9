#pragma once

#include <memory>

#include "ramet/base/run_interrupt.h"
#include "ramet/runtime/plan.h"
#include "ramet/runtime/run_context.h"

namespace ramet {

// An ActiveRun is a run of a plan under way: the buffers that it works on, and what the classes
// that execute its steps share. All functions but NodeName, WithNode, MustStop and stop_status are
// for the thread that executes the step in question.
class ActiveRun {
 public:
  // Takes buffers from the plan's pool. Both outlive the run.
  ActiveRun(Plan& plan, const RunContext& context);
  // Returns the buffers.
  ~ActiveRun();
  ActiveRun(const ActiveRun&) = delete;
  ActiveRun& operator=(const ActiveRun&) = delete;

  const Plan& plan() const { return plan_; }
  const RunContext& context() const { return context_; }
  const ExecutorSettings& settings() const { return context_.settings; }
  RunBuffers& buffers() { return *buffers_; }

  Value& value(int32_t slot) { return buffers_->values[slot]; }
  Value& input(const Step& step, int i) { return value(plan_.inputs_of(step)[i].slot); }
  std::span<Value> outputs(const Step& step) {
    return {buffers_->values.data() + step.outputs.first, static_cast<size_t>(step.outputs.size)};
  }
  // Returns the tensor of a value: the variable's if the value names one, which may be empty.
  Tensor Read(const Value& value) const {
    return value.variable ? value.variable->Read(context_.state.followed) : value.tensor;
  }
  // Moves input `i` to `to`, or copies it if a later step reads it too.
  void Pass(const Step& step, int i, Value* to);

  // Reports whether the run was cancelled or has exceeded its time limit; stop_status says which.
  bool MustStop() const { return context_.state.cancellation && StopDue(); }
  Status stop_status() const { return context_.state.cancellation->status(); }
  // Applies the session's settings for products to the calling thread.
  void PrepareThread() const;
  // Frees the slots that no step after this one reads.
  void Release(const Step& step);
  // Empties a slot, unless it holds a constant.
  void ReleaseFetched(int32_t slot);
  // Empties all slots but those of constants.
  void Clear();
  // Returns the sizes of the step's inputs, those of variables included.
  int64_t InputBytes(const Step& step);
  // Records a step that began at `start_nanos`; with a recorder only. `input_bytes` was taken
  // before, because the step may have used the buffer of an input for an output.
  void Record(const Step& step, int64_t start_nanos, int64_t input_bytes);
  std::string NodeName(const Step& step) const;
  // Adds the step's node to an error, unless the error says that the run was stopped.
  Status WithNode(const Step& step, const Status& status) const;
  // Copies a tensor to host memory from the device in whose memory it lies.
  StatusOr<Tensor> ToHost(const Tensor& tensor) const;

 private:
  Plan& plan_;
  const RunContext& context_;
  std::unique_ptr<RunBuffers> buffers_;
};

}  // namespace ramet
