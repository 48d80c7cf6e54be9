#include "rest/rest_log.h"

#include <string>
#include <utility>

#include "proto/examples_messages.h"
#include "proto/predict_messages.h"

namespace server {
namespace {

namespace tfs = tensorflow::serving;

bool IsLogged(RequestLog* log, const ModelSpec& spec) {
  return log != nullptr && log->Samples(spec.name);
}

void SetSpec(const ModelSpec& spec, const std::string& signature, tfs::ModelSpec* message) {
  message->set_name(spec.name);
  message->set_signature_name(signature);
  if (spec.version) message->mutable_version()->set_value(*spec.version);
  if (!spec.label.empty()) message->set_version_label(spec.label);
}

// Copies the examples into a request. The context is put in front of each example, as the model
// gets them.
template <class Message>
std::string RequestBytes(const ModelSpec& spec, const ExamplesRequest& request) {
  Message message;
  SetSpec(spec, request.signature_name, message.mutable_model_spec());
  auto* const list = message.mutable_input()->mutable_example_list();
  for (const std::string& example : request.examples) {
    list->add_examples(request.context + example);
  }
  return message.SerializeAsString();
}

template <class Message, class Result>
std::string ResponseBytes(const ModelSpec& spec, const ExamplesResponse<Result>& response) {
  Message message;
  ModelSpec answered = spec;
  answered.version = response.answered_by.version;
  answered.label.clear();
  SetSpec(answered, response.signature_name, message.mutable_model_spec());
  *message.mutable_result() = ResultMessage(response.result);
  return message.SerializeAsString();
}

template <class Request, class Response, class Result>
ExamplesDone<Result> LogExamplesThen(RequestLog* log, LogKind kind, const ModelSpec& spec,
                                     const ExamplesRequest& request, ExamplesDone<Result> done) {
  if (!IsLogged(log, spec)) return done;
  std::string bytes = RequestBytes<Request>(spec, request);
  return [log, kind, spec, bytes = std::move(bytes),
          done = std::move(done)](ramet::StatusOr<ExamplesResponse<Result>> response) {
    if (response.ok()) {
      log->Add({.kind = kind,
                .model = spec.name,
                .version = response->answered_by.version,
                .signature = response->signature_name,
                .request = bytes,
                .response = ResponseBytes<Response>(spec, *response)});
    }
    done(std::move(response));
  };
}

}  // namespace

PredictDone LogThen(RequestLog* log, const ModelSpec& spec, std::shared_ptr<ModelVersion> version,
                    const PredictRequest& request, PredictDone done) {
  if (!IsLogged(log, spec)) return done;
  return [log, spec, version = std::move(version), request,
          done = std::move(done)](ramet::StatusOr<PredictResponse> response) {
    if (response.ok()) {
      const auto asked = WritePredictRequest(spec, request);
      const auto answered = WritePredictResponse(*version, *response, TensorForm::kContent);
      if (asked.ok() && answered.ok()) {
        log->Add({.kind = LogKind::kPredict,
                  .model = spec.name,
                  .version = response->answered_by.version,
                  .signature = response->signature_name,
                  .request = asked->Joined(),
                  .response = answered->Joined()});
      }
    }
    done(std::move(response));
  };
}

ExamplesDone<Classifications> LogThen(RequestLog* log, const ModelSpec& spec,
                                      const ExamplesRequest& request,
                                      ExamplesDone<Classifications> done) {
  return LogExamplesThen<tfs::ClassificationRequest, tfs::ClassificationResponse>(
      log, LogKind::kClassify, spec, request, std::move(done));
}

ExamplesDone<Regressions> LogThen(RequestLog* log, const ModelSpec& spec,
                                  const ExamplesRequest& request, ExamplesDone<Regressions> done) {
  return LogExamplesThen<tfs::RegressionRequest, tfs::RegressionResponse>(
      log, LogKind::kRegress, spec, request, std::move(done));
}

}  // namespace server
