#pragma once

#include <ramet/ramet.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace server {

// The command line of `ramet serve`. Flags have TensorFlow Serving's names, also with dashes
// instead of underscores.
struct ModelFlags {
  std::string source = {};  // the argument without a name
  std::string name = {};    // empty: from the source, or "default"
  std::string base_path = {};
  std::string config_file = {};
  int config_poll_seconds = 0;
  std::vector<std::string> outputs = {};
  std::vector<std::string> tags = {"serve"};
  bool allow_labels_for_unavailable = false;
};

struct LoadFlags {
  double poll_seconds = 1;
  int threads = 0;
  int max_retries = 5;
  int64_t retry_micros = 60'000'000;
  bool warmup = true;
  int warmup_iterations = 1;
  bool verify_before_use = false;
};

struct NetworkFlags {
  std::vector<std::string> bind = {};  // hosts; empty: the loopback interface only
  int port = 8500;
  std::string grpc_socket = {};
  int grpc_threads = 0;
  std::string channel_arguments = {};
  bool grpc_health = false;
  bool tensor_content = false;
  int rest_port = 8501;
  std::string rest_socket = {};
  int rest_threads = 0;
  int64_t rest_timeout_ms = 30'000;
  bool cors = false;
};

struct SecurityFlags {
  std::string ssl_config_file = {};
  std::string tls_key = {}, tls_certificate = {}, tls_client_ca = {};
  std::string token_file = {};
};

struct RunFlags {
  bool batching = false;
  std::string batching_file = {};
  bool per_model_batching = false;
  int parallelism = 0, intra_op = 0, inter_op = 0;
  std::string session_config_file = {}, platform_config_file = {};
  std::string monitoring_config_file = {};
  int drain_seconds = 30;
};

struct ServeFlags {
  ModelFlags model = {};
  LoadFlags load = {};
  NetworkFlags network = {};
  SecurityFlags security = {};
  RunFlags run = {};
};

// Parses the command line. Prints the help, the version or a mistake and returns the exit code if
// the program is to end.
std::optional<int> ParseFlags(int argc, char** argv, ServeFlags* flags);

// Checks flags that depend on each other.
// \error kInvalidArgument: no model was given, or flags contradict each other.
ramet::Status CheckFlags(const ServeFlags& flags);

// Returns the name of a model at a source: "policy" for "shm:/run/policy.sock@stable",
// "digits" for "/models/digits/".
std::string ModelNameFor(const std::string& source);

}  // namespace server
