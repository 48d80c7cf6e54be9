#pragma once

#include <ramet/ramet.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/bearer_tokens.h"
#include "config/security_config.h"
#include "grpc/services.h"

namespace server {

struct GrpcOptions {
  // "127.0.0.1:8500", "[::1]:0" or "unix:/run/ramet.sock". Unix sockets never use TLS.
  std::vector<std::string> addresses = {};
  std::optional<TlsConfig> tls = {};
  // Calls must carry one of them as "authorization: Bearer TOKEN". Empty: calls need none.
  std::optional<BearerTokens> tokens = {};
  int max_threads = 0;  // 0: 4 per processor
  // Calls in progress; further ones fail with RESOURCE_EXHAUSTED. 0: 1024.
  int max_calls = 0;
  // The limit of one message. 0: a quarter of the memory that the process may use, at most 2^31-1.
  int64_t max_message_bytes = 0;
  // A call whose message has not arrived by then is cancelled.
  std::chrono::seconds max_receive_time = std::chrono::seconds(60);
  // gRPC's own settings, such as grpc.max_connection_age_ms. Numbers are passed as integers.
  std::map<std::string, std::string> channel_arguments = {};
  bool health_service = false;  // grpc.health.v1
};

// A GrpcServer answers calls on gRPC. Thread-safe.
class GrpcServer {
 public:
  // Listens and starts to answer.
  // \error kUnavailable: an address cannot be bound, naming it.
  // \error kInvalidArgument: the certificates cannot be used.
  static ramet::StatusOr<std::unique_ptr<GrpcServer>> Start(const GrpcOptions& options,
                                                            const Services& services);
  // Drains without a time limit.
  virtual ~GrpcServer() = default;
  // Returns the ports of the addresses, in their order; 0 for a Unix socket.
  virtual std::vector<int> ports() const = 0;
  // Refuses new calls, waits for those in progress and then cancels the rest. May be called more
  // than once.
  virtual void Drain(std::chrono::milliseconds time_limit) = 0;
};

}  // namespace server
