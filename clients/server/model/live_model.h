#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "model/live_version.h"
#include "model/served_model.h"

namespace server {

// A LiveModel serves what a publisher publishes, from the first version on. A thread of its own
// waits for the publisher.
class LiveModel final : public ServedModel {
 public:
  // `services` must outlive the model and its version.
  static std::shared_ptr<LiveModel> Start(const ModelConfig& config, ModelServices& services);
  ~LiveModel() override;

  const std::string& source() const override { return source_; }
  ramet::StatusOr<std::shared_ptr<ModelVersion>> Find(const ModelSpec& spec) const override;
  std::optional<int64_t> VersionOf(std::string_view label) const override;
  ModelReport Report() const override;
  bool Ready() const override { return Current() != nullptr; }
  void WaitUntilTried() override;
  ramet::Status CheckLabels(const ModelConfig& config) const override;
  void Configure(const ModelConfig& /*config*/) override {}

 private:
  LiveModel(const ModelConfig& config, ModelServices& services);
  std::shared_ptr<LiveVersion> Current() const;
  void Work();
  // Waits for the first version and makes it available.
  ramet::Status Connect();
  ramet::StatusOr<ramet::Follower> Open() const;
  void NoteProblem(const ramet::Status& status);
  // Logs what has happened to the publisher since the last call.
  void NoteEvents(const LiveVersion& version);
  // Waits for `time`. Returns false if the model ends.
  bool Rest(std::chrono::milliseconds time);

  const std::string name_, source_, text_;  // `text_` is the source without its password
  const std::string label_;                 // of the source
  const std::optional<BatchingParameters> batching_;
  ModelServices& services_;
  mutable ramet::Mutex mutex_;  // held only for a moment
  ramet::CondVar changed_;
  struct State;
  std::unique_ptr<State> state_ RAMET_PT_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace server
