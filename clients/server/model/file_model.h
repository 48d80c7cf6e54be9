#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "model/served_model.h"
#include "model/version_table.h"

namespace server {

// A FileModel serves versions from disk. A thread of its own looks for versions, loads them and
// drops old ones, so that nothing that happens to one model delays another one.
class FileModel final : public ServedModel, public std::enable_shared_from_this<FileModel> {
 public:
  // `services` must outlive the model and its versions. The labels of `config` take effect with
  // Configure.
  static std::shared_ptr<FileModel> Start(const ModelConfig& config, ModelServices& services);
  // Waits for a load that is in progress.
  ~FileModel() override;

  const std::string& source() const override { return source_; }
  ramet::StatusOr<std::shared_ptr<ModelVersion>> Find(const ModelSpec& spec) const override;
  std::optional<int64_t> VersionOf(std::string_view label) const override;
  ModelReport Report() const override;
  bool Ready() const override;
  void WaitUntilTried() override;
  ramet::Status CheckLabels(const ModelConfig& config) const override;
  void Configure(const ModelConfig& config) override;

 private:
  using Clock = VersionTable::Clock;
  using Labels = std::map<std::string, int64_t>;
  // The versions and labels that requests can use. Immutable.
  struct Available {
    std::map<int64_t, std::shared_ptr<ModelVersion>> versions = {};
    Labels labels = {};
  };

  FileModel(const ModelConfig& config, ModelServices& services);
  void Work();
  // Looks for versions on disk.
  void Look();
  // Load or drop one version. Return false if none is due.
  bool LoadNext();
  bool UnloadNext();
  // Waits until it is time to look or to load again.
  void Rest();
  ramet::StatusOr<std::shared_ptr<LoadedVersion>> Load(int64_t number, const std::string& path);
  ramet::StatusOr<std::optional<BatchingParameters>> BatchingFor(const std::string& path);
  void NoteFailure(int64_t number, const std::string& path, const ramet::Status& why,
                   const FilesState& before);
  void NoteFreed(int64_t number);
  // Shows requests the versions that are available.
  void Publish() RAMET_REQUIRES(mutex_);

  const std::string name_, source_;
  ModelServices& services_;
  const std::shared_ptr<RecentRuns> recent_;  // null: not kept
  mutable ramet::Mutex mutex_;
  ramet::CondVar changed_;
  struct State;
  std::unique_ptr<State> state_ RAMET_PT_GUARDED_BY(mutex_);
  mutable ramet::Mutex available_mutex_;  // held only to copy the pointer
  std::shared_ptr<const Available> available_ RAMET_GUARDED_BY(available_mutex_);
  std::thread thread_;
};

}  // namespace server
