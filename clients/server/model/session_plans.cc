#include "model/session_plans.h"

#include <string>
#include <utility>

namespace server {
namespace {

namespace rm = ramet;

// A name without ":0" would be that of an operation.
rm::GraphElement TensorNamed(const std::string& name) {
  return rm::GraphElement(name.find(':') == std::string::npos ? name + ":0" : name);
}

std::vector<rm::GraphElement> TensorsNamed(const std::vector<std::string>& names) {
  std::vector<rm::GraphElement> elements;
  elements.reserve(names.size());
  for (const std::string& name : names) elements.push_back(TensorNamed(name));
  return elements;
}

rm::StatusOr<rm::RunOptions> OptionsFor(const RunLimits& limits) {
  rm::RunOptions options;
  options.cancellation = limits.cancellation;
  if (limits.deadline == std::chrono::steady_clock::time_point::max()) return options;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(limits.deadline -
                                                                 std::chrono::steady_clock::now());
  if (left.count() <= 0) return rm::DeadlineExceeded("the deadline passed before the run began");
  options.timeout_in_ms = left.count();
  return options;
}

}  // namespace

rm::StatusOr<SessionPlans::Plan> SessionPlans::FindOrMake(const RunTensors& tensors) {
  {
    rm::ReaderLock lock(mutex_);
    if (const auto found = plans_.find(tensors); found != plans_.end()) return found->second;
  }
  RAMET_ASSIGN_OR_RETURN(
      rm::Callable callable,
      session_.MakeCallable(TensorsNamed(tensors.feeds), TensorsNamed(tensors.fetches)));
  auto plan = std::make_shared<const rm::Callable>(std::move(callable));
  rm::WriterLock lock(mutex_);
  // Clients choose the fetches, so there may be very many different ones.
  if (plans_.size() >= kMaxPlans) plans_.clear();
  return plans_.emplace(tensors, std::move(plan)).first->second;
}

rm::StatusOr<RunResult> SessionPlans::Run(const RunTensors& tensors,
                                          const std::vector<rm::Tensor>& feeds,
                                          const RunLimits& limits) {
  RAMET_ASSIGN_OR_RETURN(const rm::RunOptions options, OptionsFor(limits));
  RAMET_ASSIGN_OR_RETURN(const Plan plan, FindOrMake(tensors));
  RunResult result;
  result.outputs.resize(tensors.fetches.size());
  rm::RunMetadata metadata;
  RAMET_RETURN_IF_ERROR(plan->Run(feeds, result.outputs, options, &metadata));
  result.answered_by.version = static_cast<int64_t>(metadata.version.version);
  if (metadata.version.step >= 0) result.answered_by.step = metadata.version.step;
  result.answered_by.proof = metadata.version_proof;
  return result;
}

}  // namespace server
