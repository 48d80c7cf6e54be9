#include "app/config_source.h"

#include <filesystem>
#include <map>
#include <utility>

#include "config/config_files.h"

namespace server {

namespace rm = ramet;

ConfigSource::ConfigSource(const ModelFlags& flags, std::optional<BatchingParameters> batching,
                           ModelManager* manager, RequestLog* log)
    : flags_(flags), batching_(std::move(batching)), manager_(manager), log_(log) {}

rm::StatusOr<std::vector<ModelConfig>> ConfigSource::Read() const {
  if (!flags_.config_file.empty()) return ReadModelConfigFile(flags_.config_file);
  ModelConfig config{.name = flags_.name, .source = flags_.source + flags_.base_path};
  if (config.name.empty()) {
    config.name = flags_.source.empty() ? "default" : ModelNameFor(flags_.source);
  }
  if (!rm::ParseReplicaAddress(config.source).ok()) {
    std::error_code error;
    config.source = std::filesystem::absolute(config.source, error).lexically_normal().string();
  }
  return std::vector<ModelConfig>{config};
}

rm::Status ConfigSource::Load() {
  RAMET_ASSIGN_OR_RETURN(std::vector<ModelConfig> models, Read());
  return Apply(std::move(models));
}

rm::Status ConfigSource::Apply(std::vector<ModelConfig> models) {
  std::map<std::string, LoggingConfig> logged;
  for (ModelConfig& model : models) {
    if (!model.batching) model.batching = batching_;
    if (model.logging) logged.emplace(model.name, *model.logging);
  }
  RAMET_RETURN_IF_ERROR(manager_->Reload(models));
  return log_->Configure(logged);
}

}  // namespace server
