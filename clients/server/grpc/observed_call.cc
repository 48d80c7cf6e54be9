#include "grpc/observed_call.h"

#include <utility>

namespace server {

ObservedCall::ObservedCall(Call& call, const Services& services, std::string_view api)
    : call_(call), services_(services), api_(api) {}

ramet::StatusOr<std::shared_ptr<ModelVersion>> ObservedCall::Find(const ModelSpec& spec) {
  RAMET_ASSIGN_OR_RETURN(auto version, services_.manager->Find(spec));
  model_ = spec.name;
  return version;
}

void ObservedCall::LogAs(LogKind kind) {
  if (services_.log && services_.log->Samples(model_)) log_kind_ = kind;
}

void ObservedCall::Finish(const Pieces& response, const std::string& signature,
                          const AnsweredBy& by) {
  if (log_kind_) WriteLog(response, signature, by.version);
  Record(ramet::Code::kOk, signature, &by);
  call_.Finish(response, &by);
}

void ObservedCall::WriteLog(const Pieces& response, const std::string& signature, int64_t version) {
  LogRecord record{.kind = *log_kind_, .model = model_, .version = version, .signature = signature};
  record.request = logged_request_ ? std::move(*logged_request_) : std::string(call_.request());
  record.response = logged_response_ ? std::move(*logged_response_) : response.Joined();
  services_.log->Add(std::move(record));
}

void ObservedCall::Finish(const ramet::Status& error) {
  Record(error.code(), "", nullptr);
  call_.Finish(error);
}

void ObservedCall::Record(ramet::Code code, const std::string& signature, const AnsweredBy* by) {
  if (!services_.metrics) return;
  RequestRecord record{.model_name = model_,
                       .api = api_,
                       .entrypoint = "GRPC",
                       .signature = signature,
                       .examples = examples_,
                       .code = code,
                       .latency = std::chrono::steady_clock::now() - start_};
  if (by) record.answered_by = *by;
  services_.metrics->Record(record);
}

}  // namespace server
