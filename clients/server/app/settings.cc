#include "app/settings.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "log/warmup_file.h"
#include "rest/token_admission.h"

namespace server {
namespace {

namespace rm = ramet;

constexpr char kBatchingFile[] = "batching_params.pbtxt";

void UseSession(const SessionSettings& settings, rm::SessionOptions* options) {
  if (settings.intra_op_threads != 0) {
    options->intra_op_parallelism_threads = settings.intra_op_threads;
  }
  if (settings.inter_op_threads != 0) {
    options->inter_op_parallelism_threads = settings.inter_op_threads;
  }
  for (const std::string& name : settings.ignored) {
    rm::LogInfo("the setting ", name, " of sessions has no effect");
  }
}

rm::Status SetSessions(const RunFlags& flags, Settings* settings) {
  LoadOptions& load = settings->manager.load;
  if (!flags.platform_config_file.empty()) {
    RAMET_ASSIGN_OR_RETURN(const PlatformSettings platform,
                           ReadPlatformConfigFile(flags.platform_config_file));
    UseSession(platform.session, &load.session);
    if (platform.batching) settings->batching = platform.batching;
    if (!platform.saved_model_tags.empty()) load.tags = platform.saved_model_tags;
  }
  if (!flags.session_config_file.empty()) {
    RAMET_ASSIGN_OR_RETURN(const SessionSettings session,
                           ReadSessionConfigFile(flags.session_config_file));
    UseSession(session, &load.session);
  }
  const int intra = flags.parallelism != 0 ? flags.parallelism : flags.intra_op;
  const int inter = flags.parallelism != 0 ? flags.parallelism : flags.inter_op;
  UseSession({.intra_op_threads = intra, .inter_op_threads = inter}, &load.session);
  return rm::OkStatus();
}

// Returns the batching parameters in the folder of a version; none if it has no such file.
rm::StatusOr<std::optional<BatchingParameters>> BatchingOfFolder(const std::string& folder) {
  auto parameters = ReadBatchingFile(folder + "/" + kBatchingFile);
  if (rm::IsNotFound(parameters.status())) return std::optional<BatchingParameters>();
  if (!parameters.ok()) return parameters.status();
  return std::optional(*std::move(parameters));
}

rm::Status SetBatching(const RunFlags& flags, Settings* settings) {
  if (flags.batching && !settings->batching) settings->batching.emplace();
  if (flags.batching) settings->batching->thread_pool_name = "model_server_batch_threads";
  if (!flags.batching_file.empty()) {
    RAMET_ASSIGN_OR_RETURN(settings->batching, ReadBatchingFile(flags.batching_file));
  }
  if (settings->batching) {
    settings->manager.num_batch_threads = settings->batching->num_batch_threads;
  }
  if (!flags.per_model_batching) return rm::OkStatus();
  settings->manager.batching_of_folder = BatchingOfFolder;
  settings->batching.reset();
  return rm::OkStatus();
}

void SetLoading(const ServeFlags& flags, ManagerOptions* options) {
  options->load.tags = flags.model.tags;
  options->load.outputs = flags.model.outputs;
  options->poll_wait =
      std::chrono::milliseconds(static_cast<int64_t>(flags.load.poll_seconds * 1000));
  options->num_load_threads = flags.load.threads;
  options->max_load_retries = flags.load.max_retries;
  options->load_retry_interval = std::chrono::microseconds(flags.load.retry_micros);
  options->allow_labels_for_unavailable = flags.model.allow_labels_for_unavailable;
  if (flags.load.verify_before_use) options->verify = rm::Verify::kBeforeUse;
  options->warmup = {.enabled = flags.load.warmup,
                     .iterations = flags.load.warmup_iterations,
                     .requests = ReadWarmupRequests};
}

// Returns "127.0.0.1:8500" or "[::1]:8500" for each host, and "unix:/path".
std::vector<std::string> AddressesFor(const NetworkFlags& flags, int port,
                                      const std::string& socket) {
  std::vector<std::string> hosts = flags.bind;
  if (hosts.empty()) hosts = {"127.0.0.1"};
  std::vector<std::string> addresses;
  for (const std::string& host : hosts) {
    const bool is_ipv6 = host.find(':') != std::string::npos && !host.starts_with('[');
    if (port != 0) {
      addresses.push_back(rm::StrCat(is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "", ":", port));
    }
  }
  if (!socket.empty()) addresses.push_back("unix:" + socket);
  return addresses;
}

rm::Status SetTokens(const SecurityFlags& flags, Settings* settings) {
  if (flags.token_file.empty()) return rm::OkStatus();
  auto tokens = BearerTokens::FromFile(flags.token_file);
  if (!tokens.ok()) return tokens.status().WithContext("--token_file");
  settings->tokens = *std::move(tokens);
  return rm::OkStatus();
}

std::map<std::string, std::string> ParseArguments(const std::string& text) {
  std::map<std::string, std::string> arguments;
  for (const std::string_view part : rm::StrSplit(text, ',')) {
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos) continue;
    arguments[std::string(part.substr(0, equals))] = std::string(part.substr(equals + 1));
  }
  return arguments;
}

rm::Status SetGrpc(const ServeFlags& flags, Settings* settings) {
  const NetworkFlags& network = flags.network;
  GrpcOptions options;
  options.addresses = AddressesFor(network, network.port, network.grpc_socket);
  if (options.addresses.empty()) return rm::OkStatus();
  const SecurityFlags& security = flags.security;
  if (!security.ssl_config_file.empty()) {
    RAMET_ASSIGN_OR_RETURN(options.tls, ReadSslConfigFile(security.ssl_config_file));
  }
  if (!security.tls_key.empty()) {
    RAMET_ASSIGN_OR_RETURN(options.tls, ReadTlsFiles(security.tls_key, security.tls_certificate,
                                                     security.tls_client_ca));
  }
  options.tokens = settings->tokens;
  options.max_threads = network.grpc_threads;
  options.channel_arguments = ParseArguments(network.channel_arguments);
  options.health_service = network.grpc_health;
  settings->grpc = std::move(options);
  return rm::OkStatus();
}

rm::Status SetHttp(const ServeFlags& flags, Settings* settings) {
  const NetworkFlags& network = flags.network;
  HttpServerOptions options;
  options.addresses = AddressesFor(network, network.rest_port, network.rest_socket);
  if (options.addresses.empty()) return rm::OkStatus();
  const SecurityFlags& security = flags.security;
  if (!security.tls_key.empty()) {
    options.tls = TlsFiles{.certificate_chain = security.tls_certificate,
                           .private_key = security.tls_key,
                           .client_ca = security.tls_client_ca};
  }
  options.threads = network.rest_threads;
  if (settings->tokens) options.admission = AdmissionWith(*settings->tokens);
  settings->http = std::move(options);
  return rm::OkStatus();
}

}  // namespace

rm::StatusOr<Settings> MakeSettings(const ServeFlags& flags) {
  Settings settings;
  SetLoading(flags, &settings.manager);
  RAMET_RETURN_IF_ERROR(SetSessions(flags.run, &settings));
  RAMET_RETURN_IF_ERROR(SetBatching(flags.run, &settings));
  if (!flags.run.monitoring_config_file.empty()) {
    RAMET_ASSIGN_OR_RETURN(settings.monitoring,
                           ReadMonitoringConfigFile(flags.run.monitoring_config_file));
  } else {
    settings.monitoring.enabled = true;
  }
  RAMET_RETURN_IF_ERROR(SetTokens(flags.security, &settings));
  RAMET_RETURN_IF_ERROR(SetGrpc(flags, &settings));
  RAMET_RETURN_IF_ERROR(SetHttp(flags, &settings));
  return settings;
}

}  // namespace server
