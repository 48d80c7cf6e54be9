#include "model/live_version.h"

#include <utility>

#include "model/loaded_graph.h"

namespace server {

namespace rm = ramet;

LiveVersion::LiveVersion(std::string model, rm::Follower follower, std::vector<std::string> outputs,
                         const RunnerOptions& options)
    : model_(std::move(model)),
      outputs_(std::move(outputs)),
      options_(options),
      follower_(std::move(follower)) {}

rm::StatusOr<std::unique_ptr<LiveVersion>> LiveVersion::Make(std::string model,
                                                             rm::Follower follower,
                                                             std::vector<std::string> outputs,
                                                             const RunnerOptions& options) {
  std::unique_ptr<LiveVersion> version(
      new LiveVersion(std::move(model), std::move(follower), std::move(outputs), options));
  RAMET_RETURN_IF_ERROR(version->Bind().status());
  return version;
}

int64_t LiveVersion::number() const { return static_cast<int64_t>(follower_.current().id.version); }

rm::StatusOr<std::shared_ptr<LiveVersion::Bound>> LiveVersion::Bind() const {
  rm::Session& session = follower_.session();
  rm::MutexLock lock(mutex_);
  if (bound_ && &bound_->runner.session() == &session) return bound_;
  RAMET_ASSIGN_OR_RETURN(
      auto signatures,
      ChooseSignatures(session.graph(), ParseSignatures(follower_.signature_defs()), outputs_));
  bound_ = std::make_shared<Bound>(session, options_, std::move(signatures));
  return bound_;
}

std::shared_ptr<const Signatures> LiveVersion::signatures() const {
  const auto bound = Bind();
  if (bound.ok()) return (*bound)->signatures;
  return std::make_shared<const Signatures>();
}

void LiveVersion::Run(const RunTensors& tensors, std::vector<rm::Tensor> feeds,
                      const RunLimits& limits, RunDone done) {
  const auto bound = Bind();
  if (!bound.ok()) return done(bound.status());
  // A request that waits for its batch keeps the session that a new graph replaces.
  auto finish = [done = std::move(done), held = *bound](rm::StatusOr<RunResult> result) {
    done(std::move(result));
  };
  (*bound)->runner.Run(tensors, std::move(feeds), limits, std::move(finish));
}

}  // namespace server
