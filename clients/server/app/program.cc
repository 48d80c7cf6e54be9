#include "app/program.h"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace server {
namespace {

namespace rm = ramet;

bool HasEnded(const ModelReport& report) {
  return !report.versions.empty() &&
         std::ranges::all_of(report.versions, [](const VersionStatus& version) {
           return version.state == VersionState::kEnd;
         });
}

// Describes the models that cannot be served.
std::string Describe(const std::vector<ModelReport>& reports) {
  std::vector<std::string> texts;
  for (const ModelReport& report : reports) {
    const VersionStatus& newest = report.versions.front();
    texts.push_back(rm::StrCat("{", report.name, " version ", newest.version,
                               " due to error: ", newest.status.ToString(), "}"));
  }
  return rm::StrJoin(texts, ", ");
}

}  // namespace

Program::Program(const ServeFlags& flags, Settings settings)
    : flags_(flags), settings_(std::move(settings)) {
  log_ = RequestLog::Create({.on_record = [this](const std::string& model, rm::Code code) {
    metrics_.requests.log_count.With({model, rm::CodeName(code)})->Add();
  }});
  ManagerOptions options = settings_.manager;
  const std::string pool = settings_.batching ? settings_.batching->thread_pool_name : "";
  options.on_load = [this](const LoadEvent& event) { metrics_.loads.Record(event); };
  options.warmup.on_done = [this](const WarmupEvent& event) { metrics_.loads.Record(event); };
  options.on_run = [this](std::chrono::nanoseconds time) { metrics_.runs.Record(time); };
  options.on_batch = [this, pool](const std::string& model, const BatchEvent& event) {
    metrics_.batching.Record(pool, model, event);
  };
  manager_ = MakeModelManager(options);
  metrics_.Watch(manager_.get());
  source_.emplace(flags_.model, settings_.batching, manager_.get(), log_.get());
}

rm::StatusOr<std::unique_ptr<Program>> Program::Start(const ServeFlags& flags) {
  RAMET_ASSIGN_OR_RETURN(Settings settings, MakeSettings(flags));
  std::unique_ptr<Program> program(new Program(flags, std::move(settings)));
  RAMET_RETURN_IF_ERROR(program->LoadModels());
  RAMET_RETURN_IF_ERROR(program->Listen());
  program->reloader_.emplace(&*program->source_,
                             std::chrono::seconds(flags.model.config_poll_seconds));
  return program;
}

rm::Status Program::LoadModels() {
  RAMET_RETURN_IF_ERROR(source_->Load());
  const auto reports = manager_->Reports();
  const bool all_failed = !reports.empty() && std::ranges::all_of(reports, HasEnded);
  if (!all_failed) return rm::OkStatus();
  return rm::Unavailable(reports.size(),
                         " servable(s) did not become available: ", Describe(reports));
}

rm::Status Program::Listen() {
  RAMET_RETURN_IF_ERROR(ListenForGrpc());
  return ListenForRest();
}

rm::Status Program::ListenForGrpc() {
  if (!settings_.grpc) return rm::OkStatus();
  const Services services{
      .manager = manager_.get(),
      .metrics = &metrics_,
      .log = log_.get(),
      .tensor_form = flags_.network.tensor_content ? TensorForm::kContent : TensorForm::kTypedList,
      .reload = [this](std::vector<ModelConfig> models) {
        return source_->Apply(std::move(models));
      }};
  RAMET_ASSIGN_OR_RETURN(grpc_, GrpcServer::Start(*settings_.grpc, services));
  rm::LogInfo("gRPC on ", rm::StrJoin(settings_.grpc->addresses, ", "));
  return rm::OkStatus();
}

rm::Status Program::ListenForRest() {
  if (!settings_.http) return rm::OkStatus();
  const NetworkFlags& network = flags_.network;
  const RestOptions options{.timeout = std::chrono::milliseconds(network.rest_timeout_ms),
                            .enable_cors = network.cors};
  rest_.front_end = std::make_unique<FrontEnd>(RestContext{
      .manager = manager_.get(), .metrics = &metrics_, .options = options, .log = log_.get()});
  rest_.page = std::make_unique<Page>(manager_.get(), &metrics_);
  rest_.page->AddTo(rest_.front_end.get());
  if (settings_.monitoring.enabled) rest_.front_end->ServeMetrics(settings_.monitoring.path);
  RAMET_ASSIGN_OR_RETURN(
      rest_.http,
      HttpServer::Start(*settings_.http, [this](HttpRequest request, HttpResponder answer) {
        rest_.front_end->Handle(std::move(request), std::move(answer));
      }));
  rm::LogInfo("REST on ", rm::StrJoin(settings_.http->addresses, ", "));
  return rm::OkStatus();
}

void Program::Drain(std::chrono::milliseconds time) {
  std::vector<std::thread> threads;
  if (grpc_) threads.emplace_back([&] { grpc_->Drain(time); });
  if (rest_.http) threads.emplace_back([&] { rest_.http->Drain(time); });
  for (std::thread& thread : threads) thread.join();
  log_->Flush();
}

}  // namespace server
