#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/graph_runner.h"
#include "model/model_version.h"

namespace server {

// A LiveVersion is a model whose values follow a publisher's. Each run uses the newest version that
// has arrived, so that new versions cost nothing. Thread-safe.
class LiveVersion final : public ModelVersion {
 public:
  // `outputs` are those of DefaultSignature. `options` must not name a version.
  // \error as for DefaultSignature.
  static ramet::StatusOr<std::unique_ptr<LiveVersion>> Make(std::string model,
                                                            ramet::Follower follower,
                                                            std::vector<std::string> outputs,
                                                            const RunnerOptions& options);

  const std::string& model() const override { return model_; }
  int64_t number() const override;
  std::shared_ptr<const Signatures> signatures() const override;
  void UseGraph(const std::function<void(const ramet::Graph&)>& use) const override {
    use(follower_.graph());
  }
  void Run(const RunTensors& tensors, std::vector<ramet::Tensor> feeds, const RunLimits& limits,
           RunDone done) override;

  const ramet::Follower& follower() const { return follower_; }

 private:
  // A session of the follower with what belongs to its graph. A publisher with a different graph
  // replaces it.
  struct Bound {
    Bound(ramet::Session& session, const RunnerOptions& options,
          std::shared_ptr<const Signatures> its_signatures)
        : runner(session, options), signatures(std::move(its_signatures)) {}
    GraphRunner runner;
    const std::shared_ptr<const Signatures> signatures;
  };

  LiveVersion(std::string model, ramet::Follower follower, std::vector<std::string> outputs,
              const RunnerOptions& options);
  // Returns what belongs to the current session.
  // \error as for DefaultSignature, if the publisher has a new graph.
  ramet::StatusOr<std::shared_ptr<Bound>> Bind() const;

  const std::string model_;
  const std::vector<std::string> outputs_;
  const RunnerOptions options_;
  ramet::Follower follower_;
  mutable ramet::Mutex mutex_;
  mutable std::shared_ptr<Bound> bound_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace server
