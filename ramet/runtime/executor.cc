#include "ramet/runtime/executor.h"

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "ramet/linalg/parallel.h"

namespace ramet {
namespace {

// One run of a plan. Steps of asynchronous devices are handed to the device's thread in order; each
// thread uses step scratch of its own.
class PlanRun {
 public:
  PlanRun(Plan& plan, const ExecutorSettings& settings, const RunControl& control)
      : plan_(plan), settings_(settings), control_(control), frame_(plan.TakeFrame()) {}

  ~PlanRun() {
    if (plan_.several_memories) ClearAll();
    plan_.ReturnFrame(std::move(frame_));
  }

  Status Run(std::span<const Tensor> feeds, std::span<Tensor> fetched) {
    SetThread();
    for (size_t i = 0; i < feeds.size(); ++i) frame_->values[plan_.feed_slots[i]].tensor = feeds[i];
    if (plan_.several_memories) {
      RunOnDevices();
    } else {
      RunHere();
    }
    if (!status_.ok()) {
      ClearAll();
      return status_;
    }
    Status status = Fetch(fetched);
    for (int32_t slot : plan_.feed_slots) frame_->values[slot] = Value();
    return status;
  }

 private:
  void SetThread() const {
    linalg::SetIntraOpThreads(settings_.intra_op_threads);
    linalg::SetDeterministic(settings_.deterministic);
  }

  void RunHere() {
    for (const Step& step : plan_.steps) {
      if (Due()) {
        status_ = control_.cancellation->status();
        return;
      }
      if (Status status = RunKernel(step, *frame_); !status.ok()) {
        status_ = Located(step, status);
        return;
      }
      for (int i = 0; i < step.num_releases; ++i) {
        frame_->values[plan_.release_slots[step.first_release + i]] = Value();
      }
    }
  }

  void RunOnDevices() {
    for (const Step& step : plan_.steps) {
      if (failed_) break;
      Device& device = *settings_.devices[step.device];
      if (step.kind == Step::Kind::kCopyToHost) {
        device.Synchronize();
      }
      if (!device.asynchronous()) {
        RunAnywhere(step);
        continue;
      }
      device.Enqueue([this, &step] {
        SetThread();
        RunAnywhere(step);
      });
      if (step.kind == Step::Kind::kCopyToHost) device.Synchronize();
    }
    for (Device* device : settings_.devices) device->Synchronize();
  }

  void RunAnywhere(const Step& step) {
    if (failed_) return;
    const bool due = Due();
    Status status = due                                ? control_.cancellation->status()
                    : step.kind == Step::Kind::kKernel ? RunOnDevice(step)
                                                       : Copy(step);
    if (status.ok()) return;
    std::lock_guard lock(mutex_);
    status_.Update(due ? status : Located(step, status));
    failed_ = true;
  }

  Status RunOnDevice(const Step& step) {
    const KernelEnv& env = settings_.envs[step.device];
    Frame scratch;
    scratch.inputs.resize(step.num_inputs);
    scratch.variables.resize(step.num_inputs);
    scratch.resolved.resize(step.num_inputs);
    RAMET_RETURN_IF_ERROR(RunKernel(step, scratch));
    for (int i = 0; i < step.num_outputs; ++i) {
      Value& value = frame_->values[step.first_output + i];
      if (value.variable) RAMET_RETURN_IF_ERROR(Settle(*value.variable, step.device));
      if (env.memory == nullptr || value.tensor.empty()) continue;
      if (i < 64 && ((step.host_outputs >> i) & 1)) {
        RAMET_ASSIGN_OR_RETURN(value.tensor, value.tensor.DeepCopy());
      } else if (value.tensor.host_accessible() && value.tensor.buffer()->base() == nullptr) {
        RAMET_ASSIGN_OR_RETURN(value.tensor,
                               settings_.devices[step.device]->CopyFromHost(value.tensor));
      } else {
        value.tensor = env.memory->Unview(value.tensor);
      }
    }
    return OkStatus();
  }

  // Moves a variable's value into the memory of the device that its node is placed on.
  Status Settle(VariableState& variable, int device) {
    Tensor value = variable.Read();
    const bool own = settings_.envs[device].memory != nullptr;
    if (value.empty() || value.host_accessible() != own) return OkStatus();
    if (own) {
      RAMET_ASSIGN_OR_RETURN(value, settings_.devices[device]->CopyFromHost(value));
    } else {
      RAMET_ASSIGN_OR_RETURN(value, ToHost(value));
    }
    variable.Set(value);
    return OkStatus();
  }

  StatusOr<Tensor> ToHost(const Tensor& value) {
    for (size_t d = 0; d < settings_.devices.size(); ++d) {
      if (settings_.envs[d].memory) return settings_.devices[d]->CopyToHost(value);
    }
    return Internal("a value is in the memory of a device that this session does not have");
  }

  Status Copy(const Step& step) {
    const Value& from = frame_->values[plan_.input_slots[step.first_input]];
    Tensor value = from.tensor;
    if (from.variable) {
      value = from.variable->Read();
      if (value.empty()) return from.variable->UninitializedError();
    }
    Tensor& to = frame_->values[step.first_output].tensor;
    Device& device = *settings_.devices[step.device];
    if (step.kind == Step::Kind::kCopyToDevice) {
      RAMET_ASSIGN_OR_RETURN(to, device.CopyFromHost(value));
    } else {
      RAMET_ASSIGN_OR_RETURN(to, device.CopyToHost(value));
    }
    return OkStatus();
  }

  Status RunKernel(const Step& step, Frame& scratch) {
    const KernelEnv& env = settings_.envs[step.device];
    for (int i = 0; i < step.num_inputs; ++i) {
      const Value& value = frame_->values[plan_.input_slots[step.first_input + i]];
      scratch.variables[i] = value.variable;
      scratch.inputs[i] = &value.tensor;
      const bool low = i < 64;
      if (value.variable && !(low && ((step.ref_inputs >> i) & 1))) {
        scratch.resolved[i] = value.variable->Read();
        if (scratch.resolved[i].empty()) return value.variable->UninitializedError();
        scratch.inputs[i] = &scratch.resolved[i];
      }
      if (env.memory && !scratch.inputs[i]->empty() && !scratch.inputs[i]->host_accessible()) {
        scratch.resolved[i] = env.memory->View(*scratch.inputs[i]);
        scratch.inputs[i] = &scratch.resolved[i];
      }
    }
    const size_t n = static_cast<size_t>(step.num_inputs);
    KernelContext context(
        env, {scratch.inputs.data(), n}, {scratch.variables.data(), n},
        {frame_->values.data() + step.first_output, static_cast<size_t>(step.num_outputs)},
        step.forwardable, control_.cancellation);
    const int64_t start = control_.recorder ? StepRecorder::Now() : 0;
    Status status = step.kernel->Compute(context);
    if (control_.recorder) {
      control_.recorder->Add(
          step, start,
          {frame_->values.data() + step.first_output, static_cast<size_t>(step.num_outputs)});
    }
    for (int i = 0; i < step.num_inputs; ++i) {
      if (!scratch.resolved[i].empty()) scratch.resolved[i] = Tensor();
    }
    return status;
  }

  Status Fetch(std::span<Tensor> fetched) {
    for (size_t i = 0; i < fetched.size(); ++i) {
      if (plan_.fetch_slots[i] < 0) continue;
      Value& value = frame_->values[plan_.fetch_slots[i]];
      fetched[i] = value.variable ? value.variable->Read() : value.tensor;
      if (fetched[i].empty()) {
        return value.variable ? value.variable->UninitializedError()
                              : InvalidArgument("Retval[", i, "] does not have value");
      }
      if (!fetched[i].host_accessible()) {
        RAMET_ASSIGN_OR_RETURN(fetched[i], ToHost(fetched[i]));
      }
    }
    for (int32_t slot : plan_.fetch_slots) {
      if (slot >= 0 && !IsPreset(slot)) frame_->values[slot] = Value();
    }
    return OkStatus();
  }

  bool IsPreset(int32_t slot) const {
    for (auto& [preset, value] : plan_.presets) {
      if (preset == slot) return true;
    }
    return false;
  }

  void ClearAll() {
    for (Value& value : frame_->values) value = Value();
    for (auto& [slot, value] : plan_.presets) frame_->values[slot].tensor = value;
    for (Tensor& t : frame_->resolved) t = Tensor();
  }

  bool Due() const { return control_.cancellation && control_.cancellation->due(); }

  Status Located(const Step& step, const Status& status) const {
    std::shared_lock lock(settings_.graph->mutex);
    return status.WithSuffix(
        StrCat("\n\t [[{{node ", settings_.graph->nodes[step.node].name, "}}]]"));
  }

  Plan& plan_;
  const ExecutorSettings& settings_;
  const RunControl& control_;
  std::unique_ptr<Frame> frame_;
  std::mutex mutex_;
  std::atomic<bool> failed_ = false;
  Status status_;
};

}  // namespace

Status RunPlan(Plan& plan, const ExecutorSettings& settings, std::span<const Tensor> feeds,
               std::span<Tensor> fetched, const RunControl& control) {
  RAMET_RETURN_IF_ERROR(linalg::CheckNotForked());
  return PlanRun(plan, settings, control).Run(feeds, fetched);
}

}  // namespace ramet
