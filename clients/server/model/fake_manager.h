#pragma once

#include <ramet/ramet.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/model_manager.h"

namespace server {

// A version whose runs are a function of the test.
class FakeVersion final : public ModelVersion {
 public:
  using Compute = std::function<ramet::StatusOr<std::vector<ramet::Tensor>>(
      const RunTensors&, const std::vector<ramet::Tensor>&, const RunLimits&)>;

  FakeVersion(std::string model, int64_t number, Signatures signatures, Compute compute)
      : model_(std::move(model)),
        number_(number),
        signatures_(std::make_shared<const Signatures>(std::move(signatures))),
        compute_(std::move(compute)) {}

  const std::string& model() const override { return model_; }
  int64_t number() const override { return number_; }
  std::shared_ptr<const Signatures> signatures() const override { return signatures_; }
  void Run(const RunTensors& tensors, std::vector<ramet::Tensor> feeds, const RunLimits& limits,
           RunDone done) override {
    ++runs;
    auto outputs = compute_(tensors, feeds, limits);
    if (!outputs.ok()) return done(outputs.status());
    done(RunResult{*std::move(outputs), {number_, 7, ramet::VersionProof::kProven}});
  }

  std::atomic<int> runs = 0;

 private:
  const std::string model_;
  const int64_t number_;
  const std::shared_ptr<const Signatures> signatures_;
  const Compute compute_;
};

// A manager of fake versions with TensorFlow Serving's errors.
class FakeManager final : public ModelManager {
 public:
  void Add(std::shared_ptr<FakeVersion> version) { versions_[version->number()] = version; }
  void SetLabel(const std::string& label, int64_t version) { labels_[label] = version; }
  std::atomic<bool> ready = true;
  std::vector<ModelConfig> reloaded = {};
  ramet::Status reload_status = {};

  ramet::StatusOr<std::shared_ptr<ModelVersion>> Find(const ModelSpec& spec) const override {
    if (spec.name.empty()) return ramet::InvalidArgument("ModelSpec has no name specified.");
    std::optional<int64_t> wanted = spec.version;
    if (!spec.label.empty()) {
      const auto label = labels_.find(spec.label);
      if (label == labels_.end()) {
        return ramet::InvalidArgument("Unrecognized servable version label: ", spec.label);
      }
      wanted = label->second;
    }
    const auto found = wanted ? versions_.find(*wanted) : std::prev(versions_.end());
    if (found == versions_.end() || found->second->model() != spec.name) {
      return ramet::NotFound("Servable not found for request: ",
                             wanted ? ramet::StrCat("Specific(", spec.name, ", ", *wanted, ")")
                                    : ramet::StrCat("Latest(", spec.name, ")"));
    }
    return std::shared_ptr<ModelVersion>(found->second);
  }
  ramet::StatusOr<std::vector<VersionStatus>> Status(const ModelSpec& spec) const override {
    std::vector<VersionStatus> statuses;
    for (auto it = versions_.rbegin(); it != versions_.rend(); ++it) {
      if (it->second->model() == spec.name && (!spec.version || *spec.version == it->first)) {
        statuses.push_back({.version = it->first, .state = VersionState::kAvailable});
      }
    }
    if (!statuses.empty()) return statuses;
    return ramet::NotFound("Could not find any versions of model ", spec.name);
  }
  std::vector<ModelReport> Reports() const override { return {}; }
  bool Ready() const override { return ready; }
  ramet::Status Reload(const std::vector<ModelConfig>& models) override {
    reloaded = models;
    return reload_status;
  }

 private:
  std::map<int64_t, std::shared_ptr<FakeVersion>> versions_;
  std::map<std::string, int64_t> labels_;
};

}  // namespace server
