#pragma once

#include <ramet/ramet.h>

#include <optional>

#include "app/flags.h"
#include "config/bearer_tokens.h"
#include "config/config_files.h"
#include "grpc/grpc_server.h"
#include "http/http_server.h"
#include "model/manager_options.h"

namespace server {

// Settings are the options of the server's parts, from the flags and the files that they name.
struct Settings {
  ManagerOptions manager = {};
  std::optional<BatchingParameters> batching = {};  // of all models; empty: not batched
  MonitoringSettings monitoring = {};
  std::optional<BearerTokens> tokens = {};     // empty: requests need none
  std::optional<GrpcOptions> grpc = {};        // empty: no gRPC
  std::optional<HttpServerOptions> http = {};  // empty: no REST
};

// \error as for the functions of config_files.h.
// \error kNotFound, kPermissionDenied: a file cannot be read. Names the flag.
// \error kInvalidArgument: a value cannot be used.
ramet::StatusOr<Settings> MakeSettings(const ServeFlags& flags);

}  // namespace server
