#include "config/config_files.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "config/model_server_config.h"
#include "config/text_proto.h"
#include "tensorflow/core/protobuf/config.pb.h"
#include "tensorflow_serving/config/monitoring_config.pb.h"
#include "tensorflow_serving/config/platform_config.pb.h"
#include "tensorflow_serving/config/ssl_config.pb.h"
#include "tensorflow_serving/servables/tensorflow/session_bundle_config.pb.h"

namespace server {
namespace {

namespace tfs = tensorflow::serving;

constexpr char kPlatformKey[] = "tensorflow";
constexpr int64_t kMaxBatchThreads = 4096;

// A number of BatchingParameters, with its smallest value.
ramet::Status ReadNumber(bool given, int64_t value, int64_t min, const char* name, int64_t* out) {
  if (!given) return ramet::OkStatus();
  if (value < min) {
    return ramet::InvalidArgument(name, " must be at least ", min, ", but is ", value);
  }
  *out = value;
  return ramet::OkStatus();
}

#define RAMET_READ_NUMBER(field, min, out) \
  RAMET_RETURN_IF_ERROR(                   \
      ReadNumber(message.has_##field(), message.field().value(), min, #field, out))

ramet::Status CheckAllowedSizes(const BatchingParameters& parameters) {
  const std::vector<int64_t>& sizes = parameters.allowed_batch_sizes;
  if (sizes.empty()) return ramet::OkStatus();
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] <= (i == 0 ? 0 : sizes[i - 1])) {
      return ramet::InvalidArgument(
          "allowed_batch_sizes entries must be monotonically increasing, but ", sizes[i],
          " follows ", i == 0 ? 0 : sizes[i - 1]);
    }
  }
  const bool split =
      parameters.enable_large_batch_splitting && parameters.max_execution_batch_size > 0;
  const int64_t last = split ? parameters.max_execution_batch_size : parameters.max_batch_size;
  if (sizes.back() == last) return ramet::OkStatus();
  return ramet::InvalidArgument("final entry in allowed_batch_sizes must equal ",
                                split ? "max_execution_batch_size" : "max_batch_size", " (", last,
                                "), but is ", sizes.back());
}

ramet::StatusOr<BatchingParameters> BatchingOf(const tfs::BatchingParameters& message) {
  BatchingParameters out;
  int64_t micros = 0, threads = 0;
  RAMET_READ_NUMBER(max_batch_size, 1, &out.max_batch_size);
  RAMET_READ_NUMBER(batch_timeout_micros, 0, &micros);
  RAMET_READ_NUMBER(max_enqueued_batches, 1, &out.max_enqueued_batches);
  RAMET_READ_NUMBER(num_batch_threads, 1, &threads);
  RAMET_READ_NUMBER(max_execution_batch_size, 1, &out.max_execution_batch_size);
  if (threads > kMaxBatchThreads) {
    return ramet::InvalidArgument("num_batch_threads must be at most ", kMaxBatchThreads,
                                  ", but is ", threads);
  }
  out.batch_timeout = std::chrono::microseconds(micros);
  out.num_batch_threads = static_cast<int>(threads);
  if (message.has_thread_pool_name()) out.thread_pool_name = message.thread_pool_name().value();
  out.allowed_batch_sizes = {message.allowed_batch_sizes().begin(),
                             message.allowed_batch_sizes().end()};
  out.pad_variable_length_inputs = message.pad_variable_length_inputs();
  out.enable_large_batch_splitting = message.enable_large_batch_splitting().value();
  RAMET_RETURN_IF_ERROR(CheckAllowedSizes(out));
  return out;
}

#undef RAMET_READ_NUMBER

SessionSettings SessionOf(const tensorflow::ConfigProto& message) {
  return {.intra_op_threads = message.intra_op_parallelism_threads(),
          .inter_op_threads = message.inter_op_parallelism_threads()};
}

ramet::StatusOr<std::string> ReadPem(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) return ramet::NotFound(path, "; ", std::strerror(errno));
  if (text.find("-----BEGIN ") == std::string::npos) {
    return ramet::InvalidArgument(path, " is not a PEM file: it has no line -----BEGIN ...");
  }
  return text;
}

ramet::Status CheckPem(const std::string& text, const char* field) {
  if (text.find("-----BEGIN ") != std::string::npos) return ramet::OkStatus();
  return ramet::InvalidArgument(field, " must be the text of a PEM file, not ",
                                text.empty() ? "empty" : "a path or anything else");
}

ramet::Status CheckSsl(const tfs::SSLConfig& message) {
  RAMET_RETURN_IF_ERROR(CheckPem(message.server_key(), "server_key"));
  RAMET_RETURN_IF_ERROR(CheckPem(message.server_cert(), "server_cert"));
  if (!message.client_verify() && message.custom_ca().empty()) return ramet::OkStatus();
  return CheckPem(message.custom_ca(), "custom_ca");
}

}  // namespace

ramet::StatusOr<std::vector<ModelConfig>> ReadModelConfigFile(const std::string& path) {
  tfs::ModelServerConfig message;
  RAMET_RETURN_IF_ERROR(ReadTextProto(path, &message));
  auto models = ModelConfigsOf(message);
  if (!models.ok()) return models.status().WithContext(path);
  return models;
}

ramet::StatusOr<BatchingParameters> ReadBatchingFile(const std::string& path) {
  tfs::BatchingParameters message;
  RAMET_RETURN_IF_ERROR(ReadTextProto(path, &message));
  auto parameters = BatchingOf(message);
  if (!parameters.ok()) return parameters.status().WithContext(path);
  return parameters;
}

ramet::StatusOr<TlsConfig> ReadSslConfigFile(const std::string& path) {
  tfs::SSLConfig message;
  RAMET_RETURN_IF_ERROR(ReadTextProto(path, &message));
  RAMET_RETURN_IF_ERROR(CheckSsl(message).WithContext(path));
  return TlsConfig{.key = message.server_key(),
                   .certificate = message.server_cert(),
                   .client_ca = message.custom_ca(),
                   .client_verify = message.client_verify()};
}

ramet::StatusOr<MonitoringSettings> ReadMonitoringConfigFile(const std::string& path) {
  tfs::MonitoringConfig message;
  RAMET_RETURN_IF_ERROR(ReadTextProto(path, &message));
  MonitoringSettings settings;
  settings.enabled = message.prometheus_config().enable();
  const std::string& address = message.prometheus_config().path();
  if (!address.empty()) settings.path = address;
  if (settings.path[0] != '/') {
    return ramet::InvalidArgument(path, ": the path of prometheus_config must begin with '/'");
  }
  return settings;
}

ramet::StatusOr<SessionSettings> ReadSessionConfigFile(const std::string& path) {
  tensorflow::ConfigProto message;
  std::vector<std::string> ignored;
  RAMET_RETURN_IF_ERROR(ReadTextProto(path, &message, &ignored));
  SessionSettings settings = SessionOf(message);
  settings.ignored = std::move(ignored);
  return settings;
}

ramet::StatusOr<PlatformSettings> ReadPlatformConfigFile(const std::string& path) {
  tfs::SavedModelBundleSourceAdapterConfig::default_instance();  // registers it for Any
  tfs::PlatformConfigMap message;
  std::vector<std::string> ignored;
  RAMET_RETURN_IF_ERROR(ReadTextProto(path, &message, &ignored));
  PlatformSettings settings;
  tfs::SavedModelBundleSourceAdapterConfig adapter;
  const auto platform = message.platform_configs().find(kPlatformKey);
  if (platform != message.platform_configs().end() &&
      !platform->second.source_adapter_config().UnpackTo(&adapter)) {
    return ramet::InvalidArgument(path, ": the source_adapter_config of \"", kPlatformKey,
                                  "\" must be a [type.googleapis.com/", adapter.GetTypeName(), "]");
  }
  const tfs::SessionBundleConfig& config = adapter.legacy_config();
  settings.session = SessionOf(config.session_config());
  settings.session.ignored = std::move(ignored);
  settings.saved_model_tags = {config.saved_model_tags().begin(), config.saved_model_tags().end()};
  if (config.has_batching_parameters()) {
    RAMET_ASSIGN_OR_RETURN(settings.batching, BatchingOf(config.batching_parameters()));
  }
  return settings;
}

ramet::StatusOr<TlsConfig> ReadTlsFiles(const std::string& key, const std::string& certificate,
                                        const std::string& client_ca) {
  TlsConfig tls;
  RAMET_ASSIGN_OR_RETURN(tls.key, ReadPem(key));
  RAMET_ASSIGN_OR_RETURN(tls.certificate, ReadPem(certificate));
  if (!client_ca.empty()) {
    RAMET_ASSIGN_OR_RETURN(tls.client_ca, ReadPem(client_ca));
    tls.client_verify = true;
  }
  return tls;
}

}  // namespace server
