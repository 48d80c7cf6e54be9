#include "config/model_server_config.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace server {
namespace {

namespace tfs = tensorflow::serving;
using Policy = tfs::FileSystemStoragePathSourceConfig::ServableVersionPolicy;

constexpr char kPlatform[] = "tensorflow";

ramet::Status CheckPlatform(const tfs::ModelConfig& model) {
  const bool has_type = model.model_type() != tfs::MODEL_TYPE_UNSPECIFIED;
  const bool has_platform = !model.model_platform().empty();
  if (has_type && has_platform) {
    return ramet::InvalidArgument(
        "Illegal setting both ModelServerConfig::model_type (deprecated) and "
        "ModelServerConfig::model_platform.");
  }
  if (!has_type && !has_platform) {
    return ramet::InvalidArgument(
        "Illegal setting neither ModelServerConfig::model_type (deprecated) nor "
        "ModelServerConfig::model_platform.\nAdd model_platform: \"tensorflow\".");
  }
  if (has_platform ? model.model_platform() == kPlatform : model.model_type() == tfs::TENSORFLOW) {
    return ramet::OkStatus();
  }
  return ramet::InvalidArgument("this server has only the platform \"tensorflow\", but found \"",
                                has_platform ? model.model_platform() : "OTHER", "\"");
}

VersionPolicy PolicyOf(const Policy& message) {
  VersionPolicy policy;
  if (message.has_all()) policy.kind = VersionPolicy::Kind::kAll;
  if (message.has_latest() && message.latest().num_versions() > 0) {
    policy.num_versions = static_cast<int>(
        std::min<uint32_t>(message.latest().num_versions(), std::numeric_limits<int>::max()));
  }
  if (message.has_specific()) {
    policy.kind = VersionPolicy::Kind::kSpecific;
    policy.versions = {message.specific().versions().begin(), message.specific().versions().end()};
  }
  return policy;
}

ramet::StatusOr<LoggingConfig> LoggingOf(const tfs::LoggingConfig& message) {
  LoggingConfig logging;
  logging.filename_prefix = message.log_collector_config().filename_prefix();
  logging.sampling_rate = message.sampling_config().sampling_rate();
  if (logging.filename_prefix.empty()) {
    return ramet::InvalidArgument(
        "logging_config has no log_collector_config { filename_prefix: \"/path/prefix\" }");
  }
  if (!(logging.sampling_rate >= 0 && logging.sampling_rate <= 1)) {
    return ramet::InvalidArgument("the sampling_rate ", logging.sampling_rate,
                                  " of logging_config is not in [0, 1]");
  }
  return logging;
}

ramet::StatusOr<ModelConfig> ModelOf(const tfs::ModelConfig& message) {
  if (message.name().empty()) return ramet::InvalidArgument("a model has no name");
  if (message.base_path().empty()) return ramet::InvalidArgument("base_path is missing");
  RAMET_RETURN_IF_ERROR(CheckPlatform(message));
  ModelConfig model;
  model.name = message.name();
  model.source = message.base_path();
  model.version_policy = PolicyOf(message.model_version_policy());
  model.version_labels = {message.version_labels().begin(), message.version_labels().end()};
  if (message.has_logging_config()) {
    RAMET_ASSIGN_OR_RETURN(model.logging, LoggingOf(message.logging_config()));
  }
  return model;
}

}  // namespace

ramet::StatusOr<std::vector<ModelConfig>> ModelConfigsOf(const tfs::ModelServerConfig& config) {
  if (config.has_custom_model_config()) {
    return ramet::InvalidArgument(
        "custom_model_config is not supported; use model_config_list { config { ... } }");
  }
  std::vector<ModelConfig> models;
  for (const tfs::ModelConfig& message : config.model_config_list().config()) {
    auto model = ModelOf(message);
    if (!model.ok()) {
      return model.status().WithContext(ramet::StrCat("model '", message.name(), "'"));
    }
    models.push_back(*std::move(model));
  }
  return models;
}

}  // namespace server
