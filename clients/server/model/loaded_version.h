#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/graph_runner.h"
#include "model/loaded_graph.h"

namespace server {

// A LoadedVersion is a version whose values came from files. Thread-safe.
class LoadedVersion final : public ModelVersion {
 public:
  LoadedVersion(std::string model, LoadedGraph loaded, const RunnerOptions& options)
      : model_(std::move(model)),
        number_(options.version.value_or(0)),
        loaded_(std::move(loaded)),
        runner_(*loaded_.session, options) {}

  const std::string& model() const override { return model_; }
  int64_t number() const override { return number_; }
  std::shared_ptr<const Signatures> signatures() const override { return loaded_.signatures; }
  void UseGraph(const std::function<void(const ramet::Graph&)>& use) const override {
    use(*loaded_.graph);
  }
  void Run(const RunTensors& tensors, std::vector<ramet::Tensor> feeds, const RunLimits& limits,
           RunDone done) override {
    runner_.Run(tensors, std::move(feeds), limits, std::move(done));
  }

  int64_t bytes() const { return loaded_.bytes; }

 private:
  const std::string model_;
  const int64_t number_;
  LoadedGraph loaded_;
  GraphRunner runner_;
};

}  // namespace server
