#include "rest/v2_api.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "inference/open_inference.h"
#include "inference/predict.h"
#include "json/json_text.h"
#include "rest/rest_address.h"
#include "rest/rest_log.h"
#include "rest/v2_request.h"

namespace server {
namespace {

constexpr char kJsonLengthHeader[] = "Inference-Header-Content-Length";

// The parts of a path: "/v2/models/m/infer" has v2, models, m and infer.
using Parts = std::vector<std::string>;

Parts SplitPath(std::string_view target) {
  std::string_view path = target.substr(0, target.find('?'));
  Parts parts;
  while (path.starts_with('/')) {
    const size_t end = path.find('/', 1);
    const std::string_view part = path.substr(1, end - 1);
    if (!part.empty()) parts.push_back(DecodePercent(part));
    path = end == std::string_view::npos ? std::string_view() : path.substr(end);
  }
  return parts;
}

void SendReady(bool ready, std::string json, RestCall* call) {
  call->Send({.status = ready ? 200 : 503, .body = std::move(json)});
}

void AnswerHealth(const std::string& kind, RestCall* call) {
  const bool ready = kind == "live" || call->context().manager->Ready();
  SendReady(ready, ramet::StrCat("{\"", kind, "\":", ready, "}"), call);
}

void AnswerServer(RestCall* call) {
  std::string body;
  JsonWriter json(&body);
  json.StartObject().Key("name").String("ramet").Key("version").String(RAMET_VERSION);
  json.Key("extensions").StartArray().String("binary_tensor_data").String("model_repository");
  json.String("statistics").EndArray().EndObject();
  call->Succeed(std::move(body));
}

void WriteTensors(std::string_view key,
                  const std::map<std::string, ramet::SignatureTensor>& tensors, JsonWriter* json) {
  json->Key(key).StartArray();
  for (const auto& [name, tensor] : tensors) {
    json->StartObject().Key("name").String(name);
    json->Key("datatype").String(OpenDatatypeName(tensor.dtype)).Key("shape").StartArray();
    if (tensor.shape.unknown_rank()) json->Int(-1);
    for (const int64_t dim : tensor.shape.dims()) json->Int(dim);
    json->EndArray().EndObject();
  }
  json->EndArray();
}

void AnswerModel(const ModelSpec& spec, RestCall* call) {
  const auto version = call->context().manager->Find(spec);
  if (!version.ok()) return call->Fail(version.status());
  const auto statuses = call->context().manager->Status({.name = spec.name});
  std::string body;
  JsonWriter json(&body);
  json.StartObject().Key("name").String(spec.name).Key("versions").StartArray();
  for (const VersionStatus& status : statuses.value_or({})) {
    if (status.state == VersionState::kAvailable) json.String(std::to_string(status.version));
  }
  json.EndArray().Key("platform").String("tensorflow_savedmodel");
  const auto signatures = (*version)->signatures();
  if (const ramet::Signature* signature = DescribedSignature(*signatures)) {
    WriteTensors("inputs", signature->inputs, &json);
    WriteTensors("outputs", signature->outputs, &json);
  }
  json.EndObject();
  call->Succeed(std::move(body));
}

void AnswerModelReady(const ModelSpec& spec, RestCall* call) {
  const auto version = call->context().manager->Find(spec);
  const auto known = call->context().manager->Status(spec);
  if (!version.ok() && !known.ok()) return call->Fail(version.status());
  std::string body;
  JsonWriter json(&body);
  json.StartObject().Key("name").String(spec.name).Key("ready").Bool(version.ok()).EndObject();
  SendReady(version.ok(), std::move(body), call);
}

void FinishInfer(RestCall* call, const V2Request& request,
                 const ramet::StatusOr<PredictResponse>& response) {
  if (!response.ok()) return call->Fail(response.status());
  call->record().answered_by = response->answered_by;
  call->record().signature = response->signature_name;
  HttpResponse answer;
  std::optional<size_t> json_bytes;
  const ramet::Status status =
      WriteV2Answer(call->record().model_name, request, *response, &answer.body, &json_bytes);
  if (!status.ok()) return call->Fail(status);
  if (json_bytes) {
    answer.content_type = "application/octet-stream";
    answer.headers.emplace_back(kJsonLengthHeader, std::to_string(*json_bytes));
  }
  call->Send(std::move(answer));
}

void AnswerInfer(const RestCallPtr& call, const ModelSpec& spec) {
  call->Count("infer");
  const auto body = call->Body();
  if (!body.ok()) return call->Fail(body.status());
  auto request = ReadV2Request(*body, call->request().Header(kJsonLengthHeader),
                               call->context().options.max_tensor_elements);
  const auto version = call->context().manager->Find(spec);
  if (version.ok()) call->record().model_name = spec.name;
  if (!request.ok()) return call->Fail(request.status());
  if (!version.ok()) return call->Fail(version.status());
  PredictRequest predict = std::move(request->predict);
  const PredictDone done = LogThen(
      call->context().log, spec, *version, predict,
      [call, request = *std::move(request)](const ramet::StatusOr<PredictResponse>& response) {
        FinishInfer(call.get(), request, response);
      });
  Predict(*version, std::move(predict), call->Limits(), done);
}

// Triton's list of models.
void AnswerIndex(RestCall* call) {
  std::string body;
  JsonWriter json(&body);
  json.StartArray();
  for (const ModelReport& report : call->context().manager->Reports()) {
    for (const VersionStatus& version : report.versions) {
      const bool available = version.state == VersionState::kAvailable;
      json.StartObject().Key("name").String(report.name);
      json.Key("version").String(std::to_string(version.version));
      json.Key("state").String(available ? "READY" : "UNAVAILABLE");
      json.Key("reason").String(version.status.message()).EndObject();
    }
  }
  json.EndArray();
  call->Succeed(std::move(body));
}

// The successful requests of one version of a model.
struct Successes {
  std::string model, version;
  uint64_t count = 0;
  double micros = 0;
};

std::vector<Successes> CountSuccesses(const ServingMetrics& metrics, const ModelSpec& spec) {
  std::map<std::pair<std::string, std::string>, Successes> found;
  const auto add = [&](const std::vector<std::string>& labels, const Histogram& latency) {
    const bool wanted = (spec.name.empty() || labels[0] == spec.name) &&
                        (!spec.version || labels[1] == std::to_string(*spec.version));
    if (!wanted) return;
    Successes& successes = found[{labels[0], labels[1]}];
    successes.model = labels[0];
    successes.version = labels[1];
    for (const uint64_t count : latency.counts()) successes.count += count;
    successes.micros += latency.sum();
  };
  metrics.requests.version_latency.ForEach(add);
  std::vector<Successes> all;
  for (auto& [key, successes] : found) all.push_back(std::move(successes));
  return all;
}

void AnswerStatistics(const ModelSpec& spec, RestCall* call) {
  if (!spec.name.empty()) {
    const auto known = call->context().manager->Status(spec);
    if (!known.ok()) return call->Fail(known.status());
  }
  std::string body;
  JsonWriter json(&body);
  json.StartObject().Key("model_stats").StartArray();
  for (const Successes& successes : CountSuccesses(*call->context().metrics, spec)) {
    json.StartObject().Key("name").String(successes.model);
    json.Key("version").String(successes.version);
    json.Key("inference_count").Uint(successes.count);
    json.Key("inference_stats").StartObject().Key("success").StartObject();
    json.Key("count").Uint(successes.count);
    json.Key("ns").Uint(static_cast<uint64_t>(successes.micros * 1000));
    json.EndObject().EndObject().EndObject();
  }
  json.EndArray().EndObject();
  call->Succeed(std::move(body));
}

void NotThere(RestCall* call) {
  call->Fail(ramet::NotFound("unknown request ", call->request().method, " ",
                             call->request().target,
                             "; expected GET /v2[/health/live or /health/ready], GET "
                             "/v2/models/NAME[/versions/N][/ready or /stats], POST "
                             "/v2/models/NAME[/versions/N]/infer or POST /v2/repository/index"));
}

// Answers /v2/models/...
void AnswerModels(const Parts& parts, const RestCallPtr& call) {
  if (parts.size() == 3 && parts[2] == "stats") return AnswerStatistics({}, call.get());
  ModelSpec spec = {.name = parts[2]};
  size_t next = 3;
  if (parts.size() >= 5 && parts[3] == "versions") {
    int64_t version = 0;
    if (!ParseDigits(parts[4], &version)) {
      return call->Fail(ramet::InvalidArgument("the version of a model must be a number, but is '",
                                               parts[4], "'"));
    }
    spec.version = version;
    next = 5;
  }
  const std::string verb = next < parts.size() ? parts[next] : "";
  const bool post = call->request().method == "POST";
  if (parts.size() > next + 1) return NotThere(call.get());
  if (post && verb == "infer") return AnswerInfer(call, spec);
  if (post) return NotThere(call.get());
  if (verb.empty()) return AnswerModel(spec, call.get());
  if (verb == "ready") return AnswerModelReady(spec, call.get());
  if (verb == "stats") return AnswerStatistics(spec, call.get());
  NotThere(call.get());
}

}  // namespace

void AnswerV2(const RestCallPtr& call) {
  const Parts parts = SplitPath(call->request().target);
  const std::string& method = call->request().method;
  const bool get = method == "GET" || method == "HEAD";
  if (!get && method != "POST") return NotThere(call.get());
  if (get && parts.size() == 1) return AnswerServer(call.get());
  if (get && parts.size() == 3 && parts[1] == "health" &&
      (parts[2] == "live" || parts[2] == "ready")) {
    return AnswerHealth(parts[2], call.get());
  }
  if (parts.size() >= 3 && parts[1] == "models") return AnswerModels(parts, call);
  if (!get && parts.size() == 3 && parts[1] == "repository" && parts[2] == "index") {
    return AnswerIndex(call.get());
  }
  NotThere(call.get());
}

}  // namespace server
