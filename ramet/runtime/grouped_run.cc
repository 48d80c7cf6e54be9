#include <algorithm>
#include <chrono>

#include "ramet/base/exception.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/team.h"
#include "ramet/runtime/plan_run.h"

namespace ramet {
namespace {

int64_t Nanos() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Plan& PlanRun::Chosen(Plan& plan, const ExecutorSettings& settings, const RunControl& control) {
  if (control.recorder != nullptr) return plan;
  const bool merge = plan.merged() != nullptr && !settings.deterministic;
  Plan& chosen = merge ? *plan.merged() : plan;
  if (settings.inter_op_threads == 1) return chosen;
  Plan* grouped = chosen.grouping().grouped();
  return grouped != nullptr ? *grouped : chosen;
}

bool PlanRun::ToBeMeasured() const {
  return settings_.inter_op_threads > 1 && !plan_.has_groups && plan_.grouping().measuring() &&
         control_.recorder == nullptr;
}

void PlanRun::RunMeasured() {
  StepProfile profile;
  for (const Step& step : plan_.steps) {
    const int64_t teams = linalg::TeamsStarted();
    const int64_t start = Nanos();
    if (!RunStep(step)) return;
    profile.nanos.push_back(Nanos() - start);
    profile.had_team.push_back(linalg::TeamsStarted() != teams);
    profile.names_variable.push_back(UsesVariables(step));
    Release(step);
  }
  plan_.grouping().Note(plan_, *settings_.graph, settings_.inter_op_threads, profile);
}

bool PlanRun::UsesVariables(const Step& step) {
  for (int i = 0; i < step.num_inputs; ++i) {
    if (InputOf(step, i).variable != nullptr) return true;
  }
  return std::ranges::any_of(OutputsOf(step), [](const Value& v) { return v.variable != nullptr; });
}

void PlanRun::RunGrouped() {
  frame_->lanes.resize(settings_.inter_op_threads, StepScratch(plan_.most_inputs));
  for (size_t i = 0; i < plan_.steps.size(); i += plan_.steps[i].together) {
    const Step& step = plan_.steps[i];
    if (step.together == 1 ? !RunStep(step)
                           : !RunTogether({&step, static_cast<size_t>(step.together)})) {
      return;
    }
    Release(plan_.steps[i + step.together - 1]);
  }
}

bool PlanRun::RunTogether(std::span<const Step> steps) {
  std::atomic<size_t> next = 0;
  const auto run_lane = [&](int lane) {
    linalg::SetDeterministic(settings_.deterministic);
    const CancellationScope scope(control_.cancellation);
    for (size_t i = next++; i < steps.size() && !failed_; i = next++) {
      if (Due()) return Fail(control_.cancellation->status());
      Status status = Guarded([&] { return RunKernel(steps[i], frame_->lanes[lane]); });
      if (!status.ok()) Fail(Located(steps[i], status));
    }
  };
  // Steps may wait for each other, so each lane gets a thread even while the processors are busy.
  linalg::RunTeam(
      linalg::TeamLimit(settings_.inter_op_threads), linalg::Members::kMayWait,
      [](void* run, int lane) { (*static_cast<decltype(run_lane)*>(run))(lane); },
      const_cast<void*>(static_cast<const void*>(&run_lane)));
  return !failed_;
}

}  // namespace ramet
