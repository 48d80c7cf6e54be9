#include "rest/tfs_api.h"

#include <utility>

#include "inference/examples.h"
#include "inference/predict.h"
#include "rest/examples_body.h"
#include "rest/metadata.h"
#include "rest/predict_body.h"
#include "rest/rest_address.h"
#include "rest/rest_log.h"

namespace server {
namespace {

template <class Response>
void Remember(const Response& response, RestCall* call) {
  call->record().answered_by = response.answered_by;
  call->record().signature = response.signature_name;
}

void FinishPredict(RestCall* call, PredictForm form,
                   const ramet::StatusOr<PredictResponse>& response) {
  if (!response.ok()) return call->Fail(response.status());
  Remember(*response, call);
  std::string json;
  const ramet::Status status = WritePredictAnswer(form, response->outputs, &json);
  if (!status.ok()) return call->Fail(status);
  call->Succeed(std::move(json));
}

void AnswerPredict(const RestCallPtr& call, const ModelSpec& spec) {
  const auto json = call->Body();
  if (!json.ok()) return call->Fail(json.status());
  const auto version = call->context().manager->Find(spec);
  if (!version.ok()) {
    const ramet::Status status = CheckPredictBody(*json);
    return call->Fail(status.ok() ? version.status() : status);
  }
  call->record().model_name = spec.name;
  auto body = ReadPredictBody(*json, *(*version)->signatures(),
                              call->context().options.max_tensor_elements);
  if (!body.ok()) return call->Fail(body.status());
  const PredictDone done =
      LogThen(call->context().log, spec, *version, body->request,
              [call, form = body->form](const ramet::StatusOr<PredictResponse>& response) {
                FinishPredict(call.get(), form, response);
              });
  Predict(*version, std::move(body->request), call->Limits(), done);
}

// Answers a request to classify or regress: `run` runs it, and `write` writes the result.
template <class Result, class Run, class Write>
void AnswerExamples(const RestCallPtr& call, const ModelSpec& spec, Run run, Write write) {
  const auto json = call->Body();
  if (!json.ok()) return call->Fail(json.status());
  auto body = ReadExamplesBody(*json);
  const auto version = call->context().manager->Find(spec);
  if (version.ok()) call->record().model_name = spec.name;
  if (!body.ok()) return call->Fail(body.status());
  if (!version.ok()) return call->Fail(version.status());
  call->record().examples = body->examples.size();
  const ExamplesDone<Result> finish =
      [call, write](const ramet::StatusOr<ExamplesResponse<Result>>& response) {
        if (!response.ok()) return call->Fail(response.status());
        Remember(*response, call.get());
        std::string answer;
        write(response->result, &answer);
        call->Succeed(std::move(answer));
      };
  const ExamplesDone<Result> done = LogThen(call->context().log, spec, *body, finish);
  run(*version, *std::move(body), call->Limits(), done);
}

void AnswerStatus(const RestCallPtr& call, const ModelSpec& spec) {
  const auto versions = call->context().manager->Status(spec);
  if (!versions.ok()) return call->Fail(versions.status());
  call->record().model_name = spec.name;
  std::string json;
  WriteStatus(*versions, &json);
  call->Succeed(std::move(json));
}

void AnswerMetadata(const RestCallPtr& call, const ModelSpec& spec) {
  const auto version = call->context().manager->Find(spec);
  if (!version.ok()) return call->Fail(version.status());
  call->record().model_name = spec.name;
  std::string json;
  WriteMetadata(spec.name, (*version)->number(), *(*version)->signatures(), &json);
  call->Succeed(std::move(json));
}

void AnswerList(const RestCallPtr& call) {
  std::string json;
  WriteModels(call->context().manager->Reports(), &json);
  call->Succeed(std::move(json));
}

// A browser asks this before it sends a request from a page of a different site.
void AnswerOptions(const RestCallPtr& call) {
  const std::string_view origin = call->request().Header("Origin");
  const bool known = origin.find("http://") != std::string_view::npos ||
                     origin.find("https://") != std::string_view::npos;
  call->Send({.status = known ? 200 : 400});
}

}  // namespace

void AnswerTfs(const RestCallPtr& call) {
  if (call->request().method == "OPTIONS") return AnswerOptions(call);
  const auto address = ParseRestAddress(call->request().method, call->request().target);
  call->Count("");
  if (!address.ok()) return call->Fail(address.status());
  const ModelSpec& spec = address->spec;
  switch (address->verb) {
    case RestVerb::kList: return AnswerList(call);
    case RestVerb::kStatus: return AnswerStatus(call, spec);
    case RestVerb::kMetadata: return AnswerMetadata(call, spec);
    case RestVerb::kPredict: call->Count("predict"); return AnswerPredict(call, spec);
    case RestVerb::kClassify:
      call->Count("classify");
      return AnswerExamples<Classifications>(call, spec, &Classify, &WriteClassifications);
    case RestVerb::kRegress:
      call->Count("regress");
      return AnswerExamples<Regressions>(call, spec, &Regress, &WriteRegressions);
  }
}

}  // namespace server
