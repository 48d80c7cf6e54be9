#include "app/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <utility>

namespace server {
namespace {

namespace rm = ramet;

constexpr char kFooter[] =
    "Examples:\n"
    "  ramet serve shm:policy                     serve what a trainer publishes\n"
    "  ramet serve /models/digits                 serve the highest version in a folder\n"
    "  ramet serve --model_config_file=models.conf --bind=0.0.0.0\n"
    "\n"
    "Signals: SIGTERM and SIGINT answer the accepted requests and end the program; SIGHUP reads\n"
    "the configuration file again. docs/serving.md describes the APIs and all flags.";

// A flag of TensorFlow Serving that this server lacks, and why.
struct MissingFlag {
  const char* name;
  const char* why;
};

// Flags without an effect.
constexpr MissingFlag kIgnored[] = {
    {"--flush_filesystem_caches", "files are read once"},
    {"--num_unload_threads", "one thread frees all versions"},
    {"--remove_unused_fields_from_bundle_metagraph", "unused fields are never kept"},
    {"--per_process_gpu_memory_fraction", "set RAMET_GPU instead"},
    {"--enable_signature_method_name_check", "methods are not checked"},
    {"--enable_profiler", "profiling is not supported"},
    {"--num_tflite_pools", "TensorFlow Lite is not supported"},
    {"--num_tflite_interpreters_per_pool", "TensorFlow Lite is not supported"},
    {"--skip_initialize_tpu", "TPUs are not supported"},
};

// Flags that ask for a missing feature. Their values "false" and "0" are accepted.
constexpr MissingFlag kRefused[] = {
    {"--prefer_tflite_model", "TensorFlow Lite models cannot be served"},
    {"--xla_cpu_compilation_enabled", "XLA is not supported"},
    {"--xla_gpu_compilation_enabled", "XLA is not supported"},
    {"--use_alts_credentials", "ALTS is not supported; use --tls_key and --tls_certificate"},
    {"--mixed_precision", "models are run in the precision that they have"},
    {"--thread_pool_factory_config_file", "thread pools cannot be replaced"},
};

void AddIgnored(CLI::App& app) {
  for (const MissingFlag& flag : kIgnored) {
    app.add_option_function<std::string>(
           flag.name,
           [flag](const std::string&) { rm::LogInfo(flag.name, " has no effect: ", flag.why); })
        ->expected(0, 1)
        ->group("");
  }
}

void AddRefused(CLI::App& app) {
  for (const MissingFlag& flag : kRefused) {
    app.add_option_function<std::string>(flag.name,
                                         [flag](const std::string& value) {
                                           if (value == "false" || value == "0") return;
                                           throw CLI::ValidationError(flag.name, flag.why);
                                         })
        ->expected(0, 1)
        ->default_str("true")
        ->group("");
  }
}

void AddModelFlags(CLI::App& app, ModelFlags& flags) {
  app.add_option("SOURCE", flags.source,
                 "A folder of versions, a SavedModel, a checkpoint with its .meta file, a frozen "
                 "graph, or " +
                     rm::ReplicaAddressForms());
  app.add_option("--model_name", flags.name,
                 "The name of the model at SOURCE or --model_base_path");
  app.add_option("--model_base_path", flags.base_path, "Another way to give SOURCE");
  app.add_option("--model_config_file", flags.config_file,
                 "Serve the models of this file (ModelServerConfig as text)");
  app.add_option("--model_config_file_poll_wait_seconds", flags.config_poll_seconds,
                 "Read the file again this often; 0: only after SIGHUP");
  app.add_option("--outputs", flags.outputs,
                 "The outputs of models without signatures, by the names of tensors")
      ->delimiter(',');
  app.add_option("--saved_model_tags", flags.tags, "The tags of a SavedModel's graph")
      ->delimiter(',')
      ->capture_default_str();
  app.add_flag("--allow_version_labels_for_unavailable_models", flags.allow_labels_for_unavailable,
               "Accept new labels of versions that are not available yet");
}

void AddLoadFlags(CLI::App& app, LoadFlags& flags) {
  app.add_option("--file_system_poll_wait_seconds", flags.poll_seconds,
                 "Look for new versions this often; 0: only at the start and after SIGHUP")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--num_load_threads", flags.threads,
                 "Models that are loaded at the same time; 0: one per processor");
  app.add_option("--max_num_load_retries", flags.max_retries,
                 "Repeat a load this often if the reason of its failure may pass")
      ->capture_default_str();
  app.add_option("--load_retry_interval_micros", flags.retry_micros, "Wait between two attempts")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_flag("--enable_model_warmup,!--no-enable_model_warmup", flags.warmup,
               "Run a version before it becomes available (default)");
  app.add_option("--num_request_iterations_for_warmup", flags.warmup_iterations,
                 "Run each request of a warm-up file this often");
  app.add_flag("--verify_before_use", flags.verify_before_use,
               "Prove that a live version has the published values before it is used");
}

void AddNetworkFlags(CLI::App& app, NetworkFlags& flags) {
  const CLI::Range port(0, 65535);
  app.add_option("--bind", flags.bind,
                 "Listen on this address instead of the loopback interface; 0.0.0.0 or :: for all; "
                 "can be repeated")
      ->delimiter(',');
  app.add_option("--port", flags.port, "The port for gRPC; 0: none")
      ->check(port)
      ->capture_default_str();
  app.add_option("--rest_api_port", flags.rest_port, "The port for REST and the page; 0: none")
      ->check(port)
      ->capture_default_str();
  app.add_option("--grpc_socket_path", flags.grpc_socket, "Also serve gRPC at this Unix socket");
  app.add_option("--rest_socket_path", flags.rest_socket, "Also serve REST at this Unix socket");
  app.add_option("--grpc_max_threads", flags.grpc_threads, "Threads for gRPC; 0: 4 per processor");
  app.add_option("--rest_api_num_threads", flags.rest_threads,
                 "Threads for REST; 0: 4 per processor");
  app.add_option("--rest_api_timeout_in_ms", flags.rest_timeout_ms, "The time limit of a request")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--rest_api_enable_cors_support", flags.cors, "Let pages of other sites use REST");
  app.add_option("--grpc_channel_arguments", flags.channel_arguments,
                 "Settings of gRPC: name=value,name=value");
  app.add_flag("--enable_grpc_healthcheck_service", flags.grpc_health, "Serve grpc.health.v1");
  app.add_flag("--enable_serialization_as_tensor_content", flags.tensor_content,
               "Send outputs over gRPC as bytes instead of lists of numbers");
}

void AddSecurityFlags(CLI::App& app, SecurityFlags& flags) {
  app.add_option("--ssl_config_file", flags.ssl_config_file,
                 "TLS for gRPC (SSLConfig as text, with the texts of PEM files)");
  app.add_option("--tls_key", flags.tls_key, "TLS for gRPC and REST: the PEM file of the key")
      ->type_name("FILE");
  app.add_option("--tls_certificate", flags.tls_certificate, "... and of the certificates")
      ->type_name("FILE");
  app.add_option("--tls_client_ca", flags.tls_client_ca,
                 "Clients need a certificate that this PEM file's authority has signed")
      ->type_name("FILE");
  app.add_option("--token_file", flags.token_file,
                 "Requests need one of the tokens in this file, one per line")
      ->type_name("FILE");
}

void AddRunFlags(CLI::App& app, RunFlags& flags) {
  app.add_flag("--enable_batching", flags.batching, "Run requests of several clients together");
  app.add_option("--batching_parameters_file", flags.batching_file,
                 "How to batch (BatchingParameters as text)");
  app.add_flag("--enable_per_model_batching_parameters", flags.per_model_batching,
               "Use batching_params.pbtxt of each version's folder");
  app.add_option("--tensorflow_session_parallelism", flags.parallelism,
                 "Sets the next two flags together");
  app.add_option("--tensorflow_intra_op_parallelism", flags.intra_op,
                 "Threads of one operation; 0: one per processor");
  app.add_option("--tensorflow_inter_op_parallelism", flags.inter_op,
                 "Operations of one request at the same time; 0: one per processor");
  app.add_option("--tensorflow_session_config_file", flags.session_config_file,
                 "Settings of sessions (ConfigProto as text)");
  app.add_option("--platform_config_file", flags.platform_config_file,
                 "Settings of platforms (PlatformConfigMap as text)");
  app.add_option("--monitoring_config_file", flags.monitoring_config_file,
                 "The path of the metrics (MonitoringConfig as text)");
  app.add_option("--drain_seconds", flags.drain_seconds,
                 "How long accepted requests may take after SIGTERM")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
}

// TensorFlow Serving's flags have underscores; people type dashes.
std::string WithUnderscores(std::string argument) {
  if (!argument.starts_with("--") || argument.size() < 3) return argument;
  const size_t end = std::min(argument.find('='), argument.size());
  std::replace(argument.begin() + 2, argument.begin() + static_cast<ptrdiff_t>(end), '-', '_');
  return argument;
}

}  // namespace

std::optional<int> ParseFlags(int argc, char** argv, ServeFlags* flags) {
  CLI::App app("Serve models to clients of TensorFlow Serving and of the Open Inference Protocol.",
               "ramet serve");
  app.footer(kFooter);
  app.set_version_flag("--version", "ramet-serve " RAMET_VERSION);
  AddModelFlags(app, flags->model);
  AddLoadFlags(app, flags->load);
  AddNetworkFlags(app, flags->network);
  AddSecurityFlags(app, flags->security);
  AddRunFlags(app, flags->run);
  AddIgnored(app);
  AddRefused(app);
  std::vector<std::string> arguments;  // the last one first
  for (int i = argc - 1; i > 0; --i) arguments.push_back(WithUnderscores(argv[i]));
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error, std::cout, std::cerr);
    std::cerr << "ramet serve: " << error.what() << "\nRun 'ramet serve --help' for more.\n";
    return 2;
  }
  return std::nullopt;
}

rm::Status CheckFlags(const ServeFlags& flags) {
  const ModelFlags& model = flags.model;
  const int sources = !model.source.empty() + !model.base_path.empty();
  if (sources == 0 && model.config_file.empty()) {
    return rm::InvalidArgument(
        "no model was given; expected a SOURCE, --model_base_path or --model_config_file");
  }
  if (sources == 2) return rm::InvalidArgument("give SOURCE or --model_base_path, not both");
  const NetworkFlags& network = flags.network;
  if (network.port == 0 && network.grpc_socket.empty() && network.rest_port == 0 &&
      network.rest_socket.empty()) {
    return rm::InvalidArgument("--port=0 and --rest_api_port=0 leave nothing to listen on");
  }
  if (network.port != 0 && network.port == network.rest_port) {
    return rm::InvalidArgument("--port and --rest_api_port must differ; both are ", network.port);
  }
  const RunFlags& run = flags.run;
  if (!run.batching && (!run.batching_file.empty() || run.per_model_batching)) {
    return rm::InvalidArgument("batching parameters need --enable_batching");
  }
  if (run.parallelism != 0 && (run.intra_op != 0 || run.inter_op != 0)) {
    return rm::InvalidArgument(
        "--tensorflow_session_parallelism sets both --tensorflow_intra_op_parallelism and "
        "--tensorflow_inter_op_parallelism; give it or them");
  }
  const SecurityFlags& security = flags.security;
  if (security.tls_key.empty() != security.tls_certificate.empty()) {
    return rm::InvalidArgument("--tls_key and --tls_certificate are needed together");
  }
  if (!security.tls_client_ca.empty() && security.tls_key.empty()) {
    return rm::InvalidArgument("--tls_client_ca needs --tls_key and --tls_certificate");
  }
  return rm::OkStatus();
}

std::string ModelNameFor(const std::string& source) {
  std::string name = source;
  if (const auto address = rm::ParseReplicaAddress(source); address.ok()) name = address->location;
  name.resize(std::min(name.find('?'), name.size()));
  while (name.ends_with('/')) name.pop_back();
  name.erase(0, name.find_last_of("/:") + 1);
  for (const std::string_view extension : {".sock", ".pb", ".pbtxt", ".meta"}) {
    if (name.ends_with(extension)) name.resize(name.size() - extension.size());
  }
  return name.empty() ? "default" : name;
}

}  // namespace server
