#pragma once

#include <ramet/ramet.h>

#include <optional>
#include <string>
#include <vector>

#include "config/security_config.h"
#include "config/server_config.h"

// Reads TensorFlow Serving's configuration files, which are in protobuf's text form.
//
// \error kNotFound: the file cannot be read.
// \error kInvalidArgument: the file has mistakes. The message begins with FILE:LINE:COLUMN for each
//   mistake of form, and with FILE for a value that cannot be used.
namespace server {

// --model_config_file (ModelServerConfig).
ramet::StatusOr<std::vector<ModelConfig>> ReadModelConfigFile(const std::string& path);
// --batching_parameters_file (BatchingParameters).
ramet::StatusOr<BatchingParameters> ReadBatchingFile(const std::string& path);
// --ssl_config_file (SSLConfig).
ramet::StatusOr<TlsConfig> ReadSslConfigFile(const std::string& path);

// --monitoring_config_file (MonitoringConfig).
struct MonitoringSettings {
  bool enabled = false;
  std::string path = "/monitoring/prometheus/metrics";
};
ramet::StatusOr<MonitoringSettings> ReadMonitoringConfigFile(const std::string& path);

// Settings of sessions. Fields that this server does not have are listed in `ignored`.
struct SessionSettings {
  int intra_op_threads = 0;  // 0: default
  int inter_op_threads = 0;
  std::vector<std::string> ignored = {};
};
// --tensorflow_session_config_file (ConfigProto).
ramet::StatusOr<SessionSettings> ReadSessionConfigFile(const std::string& path);

// --platform_config_file (PlatformConfigMap): the settings of the platform "tensorflow".
struct PlatformSettings {
  SessionSettings session = {};
  std::optional<BatchingParameters> batching = {};
  std::vector<std::string> saved_model_tags = {};  // empty: default
};
ramet::StatusOr<PlatformSettings> ReadPlatformConfigFile(const std::string& path);

// Reads certificates from PEM files, which --ssl_config_file holds as texts. `client_ca` may be
// empty; otherwise clients must have a certificate that it has signed.
ramet::StatusOr<TlsConfig> ReadTlsFiles(const std::string& key, const std::string& certificate,
                                        const std::string& client_ca);

}  // namespace server
