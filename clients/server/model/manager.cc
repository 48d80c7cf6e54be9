#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "model/file_model.h"
#include "model/live_model.h"
#include "model/manager_options.h"
#include "model/served_model.h"

namespace server {
namespace {

namespace rm = ramet;

using Models = std::map<std::string, std::shared_ptr<ServedModel>, std::less<>>;

rm::Status CheckConfigs(const std::vector<ModelConfig>& configs) {
  std::set<std::string> names;
  for (const ModelConfig& config : configs) {
    if (config.name.empty())
      return rm::InvalidArgument("a model has no name; expected name: '...'");
    if (!names.insert(config.name).second) {
      return rm::InvalidArgument("Illegal to list model ", config.name,
                                 " multiple times in config list");
    }
    if (rm::ParseReplicaAddress(config.source).ok()) continue;
    if (!std::filesystem::path(config.source).is_absolute()) {
      return rm::InvalidArgument("Expected model ", config.name,
                                 " to have an absolute path or URI; got base_path()='",
                                 config.source, "'");
    }
  }
  return rm::OkStatus();
}

std::shared_ptr<ServedModel> StartModel(const ModelConfig& config, ModelServices& services) {
  if (rm::ParseReplicaAddress(config.source).ok()) return LiveModel::Start(config, services);
  return FileModel::Start(config, services);
}

class Manager final : public ModelManager {
 public:
  explicit Manager(const ManagerOptions& options) : services_(options) {}

  rm::StatusOr<std::shared_ptr<ModelVersion>> Find(const ModelSpec& spec) const override {
    if (spec.name.empty()) return rm::InvalidArgument("ModelSpec has no name specified.");
    if (const auto model = ModelNamed(spec.name)) return model->Find(spec);
    return spec.label.empty() ? NotServed(spec) : UnknownLabel(spec.label);
  }

  rm::StatusOr<std::vector<VersionStatus>> Status(const ModelSpec& spec) const override;

  std::vector<ModelReport> Reports() const override {
    std::vector<ModelReport> reports;
    const auto all = models();
    for (const auto& [name, model] : *all) reports.push_back(model->Report());
    return reports;
  }

  bool Ready() const override {
    return std::ranges::all_of(*models(), [](const auto& item) { return item.second->Ready(); });
  }

  rm::Status Reload(const std::vector<ModelConfig>& configs) override;

 private:
  std::shared_ptr<const Models> models() const {
    rm::MutexLock lock(mutex_);
    return models_;
  }
  std::shared_ptr<ServedModel> ModelNamed(const std::string& name) const {
    const auto all = models();
    const auto found = all->find(name);
    return found == all->end() ? nullptr : found->second;
  }
  // Returns the models of a configuration. Keeps models whose name and source stay the same.
  std::shared_ptr<const Models> MakeModels(const std::vector<ModelConfig>& configs);

  mutable ModelServices services_;
  rm::Mutex reload_mutex_;
  mutable rm::Mutex mutex_;  // held only to copy the pointer
  std::shared_ptr<const Models> models_ RAMET_GUARDED_BY(mutex_) = std::make_shared<const Models>();
};

rm::StatusOr<std::vector<VersionStatus>> Manager::Status(const ModelSpec& spec) const {
  if (spec.name.empty()) return rm::InvalidArgument("ModelSpec has no name specified.");
  const auto model = ModelNamed(spec.name);
  std::vector<VersionStatus> statuses;
  if (model) statuses = model->Report().versions;
  if (statuses.empty()) {
    return rm::NotFound("Could not find any versions of model ", spec.name);
  }
  std::optional<int64_t> version = spec.version;
  if (!spec.label.empty()) {
    version = model->VersionOf(spec.label);
    if (!version) return UnknownLabel(spec.label);
  }
  if (!version) return statuses;
  std::erase_if(statuses, [&](const VersionStatus& status) { return status.version != *version; });
  if (!statuses.empty()) return statuses;
  return rm::NotFound("Could not find version ", *version, " of model ", spec.name);
}

std::shared_ptr<const Models> Manager::MakeModels(const std::vector<ModelConfig>& configs) {
  const auto before = models();
  auto made = std::make_shared<Models>();
  for (const ModelConfig& config : configs) {
    const auto same = before->find(config.name);
    if (same != before->end() && same->second->source() == config.source) {
      made->insert(*same);
    } else {
      made->emplace(config.name, StartModel(config, services_));
    }
  }
  return made;
}

rm::Status Manager::Reload(const std::vector<ModelConfig>& configs) {
  RAMET_RETURN_IF_ERROR(CheckConfigs(configs));
  rm::MutexLock one_at_a_time(reload_mutex_);
  const auto before = models();
  auto after = MakeModels(configs);
  rm::Status checked;
  for (const ModelConfig& config : configs) {
    const auto& model = after->at(config.name);
    model->WaitUntilTried();
    checked.Update(model->CheckLabels(config));
  }
  RAMET_RETURN_IF_ERROR(checked);
  for (const ModelConfig& config : configs) after->at(config.name)->Configure(config);
  rm::MutexLock lock(mutex_);
  models_.swap(after);
  return rm::OkStatus();
}

}  // namespace

std::unique_ptr<ModelManager> MakeModelManager(const ManagerOptions& options) {
  return std::make_unique<Manager>(options);
}

}  // namespace server
