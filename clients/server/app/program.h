#pragma once

#include <ramet/ramet.h>

#include <chrono>
#include <memory>
#include <optional>

#include "app/config_reloader.h"
#include "app/config_source.h"
#include "app/flags.h"
#include "app/settings.h"
#include "grpc/grpc_server.h"
#include "http/http_server.h"
#include "log/request_log.h"
#include "metrics/serving_metrics.h"
#include "model/model_manager.h"
#include "page/page.h"
#include "rest/front_end.h"

namespace server {

// The parts of the REST interface, each of which uses those before it.
struct RestParts {
  std::unique_ptr<Page> page = {};
  std::unique_ptr<FrontEnd> front_end = {};
  std::unique_ptr<HttpServer> http = {};
};

// A Program is the whole server: models, the APIs on their ports, and the files around them.
class Program {
 public:
  // Loads the models and then listens.
  // \error kUnavailable: no model can be served, or an address cannot be bound.
  // \error as for MakeSettings and ConfigSource::Load.
  static ramet::StatusOr<std::unique_ptr<Program>> Start(const ServeFlags& flags);

  // Loads the configuration again in the background.
  void Reload() { reloader_->Reload(); }
  // Stops listening and answers the requests that were accepted, for `time` at most.
  void Drain(std::chrono::milliseconds time);

 private:
  Program(const ServeFlags& flags, Settings settings);
  ramet::Status LoadModels();
  ramet::Status Listen();
  ramet::Status ListenForGrpc();
  ramet::Status ListenForRest();

  const ServeFlags flags_;
  const Settings settings_;
  ServingMetrics metrics_;
  std::unique_ptr<RequestLog> log_;
  std::unique_ptr<ModelManager> manager_;
  std::optional<ConfigSource> source_;
  std::optional<ConfigReloader> reloader_;
  std::unique_ptr<GrpcServer> grpc_;
  RestParts rest_;
};

}  // namespace server
