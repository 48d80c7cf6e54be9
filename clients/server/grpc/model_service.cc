#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "config/model_server_config.h"
#include "grpc/call_table.h"
#include "proto/model_messages.h"
#include "tensorflow_serving/apis/get_model_status.pb.h"
#include "tensorflow_serving/apis/model_management.pb.h"

namespace server {
namespace {

namespace tfs = tensorflow::serving;

void SetStatus(const ramet::Status& status, tfs::StatusProto* message) {
  message->set_error_code(static_cast<tensorflow::error::Code>(status.code()));
  message->set_error_message(status.message());
}

ramet::Status GetModelStatus(Call& call, const Services& services) {
  RAMET_ASSIGN_OR_RETURN(const auto request,
                         ParseMessage<tfs::GetModelStatusRequest>(call.request()));
  if (!request.has_model_spec()) return ramet::InvalidArgument("Missing ModelSpec");
  RAMET_ASSIGN_OR_RETURN(const auto versions,
                         services.manager->Status(FromMessage(request.model_spec())));
  tfs::GetModelStatusResponse response;
  for (const VersionStatus& version : versions) {
    auto* message = response.add_model_version_status();
    message->set_version(version.version);
    message->set_state(static_cast<tfs::ModelVersionStatus::State>(version.state));
    SetStatus(version.status, message->mutable_status());
  }
  call.Finish(Pieces(response.SerializeAsString()), nullptr);
  return ramet::OkStatus();
}

// Returns the sum over all series of a counter with TensorFlow's name ("/tensorflow/...").
int64_t CounterValue(const Services& services, std::string name) {
  if (!services.metrics) return 0;
  std::ranges::replace(name, '/', ':');
  double sum = 0;
  std::istringstream lines(services.metrics->registry.Text());
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name)) continue;
    const char after = line.size() > name.size() ? line[name.size()] : ' ';
    const size_t value = line.rfind(' ');
    if ((after == '{' || after == ' ') && value != std::string::npos) {
      sum += std::strtod(line.c_str() + value, nullptr);
    }
  }
  return static_cast<int64_t>(sum);
}

ramet::Status ApplyConfig(const tfs::ModelServerConfig& config, const Services& services) {
  if (config.config_case() == tfs::ModelServerConfig::CONFIG_NOT_SET) return ramet::OkStatus();
  RAMET_ASSIGN_OR_RETURN(auto models, ModelConfigsOf(config));
  return services.reload ? services.reload(std::move(models)) : services.manager->Reload(models);
}

ramet::Status HandleReloadConfigRequest(Call& call, const Services& services) {
  RAMET_ASSIGN_OR_RETURN(const auto request,
                         ParseMessage<tfs::ReloadConfigRequest>(call.request()));
  std::vector<int64_t> before;
  for (const std::string& name : request.metric_names()) {
    before.push_back(CounterValue(services, name));
  }
  const ramet::Status status = ApplyConfig(request.config(), services);
  if (!status.ok()) return status;
  tfs::ReloadConfigResponse response;
  SetStatus(status, response.mutable_status());
  for (int i = 0; i < request.metric_names_size(); ++i) {
    tfs::Metric* metric = response.add_metric();
    metric->set_name(request.metric_names(i));
    metric->set_int64_value_increase(CounterValue(services, request.metric_names(i)) -
                                     before[static_cast<size_t>(i)]);
  }
  call.Finish(Pieces(response.SerializeAsString()), nullptr);
  return ramet::OkStatus();
}

}  // namespace

void AddModelService(const Services& services, CallHandlers* handlers) {
  const std::string prefix = "/tensorflow.serving.ModelService/";
  AddHandler(prefix + "GetModelStatus", GetModelStatus, services, handlers);
  AddHandler(prefix + "HandleReloadConfigRequest", HandleReloadConfigRequest, services, handlers);
}

}  // namespace server
