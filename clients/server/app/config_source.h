#pragma once

#include <ramet/ramet.h>

#include <optional>
#include <string>
#include <vector>

#include "app/flags.h"
#include "log/request_log.h"
#include "model/model_manager.h"

namespace server {

// A ConfigSource gives the manager and the request log the models that the command line names, or
// those of its configuration file. Thread-safe.
class ConfigSource {
 public:
  // `batching` applies to all models. The pointers must outlive this object.
  ConfigSource(const ModelFlags& flags, std::optional<BatchingParameters> batching,
               ModelManager* manager, RequestLog* log);

  // Reads the configuration file, if one was given, and applies the configuration.
  // \error as for ReadModelConfigFile and Apply.
  ramet::Status Load();
  // Replaces the configuration. On an error the old one stays.
  // \error as for ModelManager::Reload and RequestLog::Configure.
  ramet::Status Apply(std::vector<ModelConfig> models);

 private:
  ramet::StatusOr<std::vector<ModelConfig>> Read() const;

  const ModelFlags flags_;
  const std::optional<BatchingParameters> batching_;
  ModelManager* const manager_;
  RequestLog* const log_;
};

}  // namespace server
