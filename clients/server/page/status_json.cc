#include "page/status_json.h"

#include <cmath>
#include <vector>

#include "json/json_text.h"
#include "rest/metadata.h"

namespace server {
namespace {

// Versions that have ended are listed by /v1/models, too; the page needs the newest ones.
constexpr size_t kMaxVersions = 50;

double Seconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

double Rounded(double value) { return std::round(value * 10) / 10; }

void WriteVersions(const ModelReport& report, JsonWriter* json) {
  json->Key("versions").StartArray();
  for (size_t i = 0; i < std::min(kMaxVersions, report.versions.size()); ++i) {
    const VersionStatus& version = report.versions[i];
    json->StartObject().Key("version").String(std::to_string(version.version));
    json->Key("state").String(StateName(version.state));
    json->Key("error").String(version.status.ok() ? "" : version.status.ToString()).EndObject();
  }
  json->EndArray().Key("labels").StartObject();
  for (const auto& [label, version] : report.labels) {
    json->Key(label).String(std::to_string(version));
  }
  json->EndObject();
}

void WriteTensors(const std::map<std::string, ramet::SignatureTensor>& tensors, JsonWriter* json) {
  json->StartObject();
  for (const auto& [name, tensor] : tensors) {
    json->Key(name).StartObject().Key("dtype").String(ramet::DTypeName(tensor.dtype));
    json->Key("shape");
    if (tensor.shape.unknown_rank()) {
      json->Raw("null");
    } else {
      json->StartArray();
      for (const int64_t dim : tensor.shape.dims()) json->Int(dim);
      json->EndArray();
    }
    json->EndObject();
  }
  json->EndObject();
}

void WriteSignatures(const ModelManager& manager, const std::string& model, JsonWriter* json) {
  json->Key("signatures").StartObject();
  if (const auto version = manager.Find({.name = model}); version.ok()) {
    const auto signatures = (*version)->signatures();
    for (const auto& [name, signature] : *signatures) {
      json->Key(name).StartObject().Key("method").String(signature.method_name);
      json->Key("inputs");
      WriteTensors(signature.inputs, json);
      json->Key("outputs");
      WriteTensors(signature.outputs, json);
      json->EndObject();
    }
  }
  json->EndObject();
}

void WriteSeries(std::string_view key, const std::vector<TrafficSample>& samples,
                 float TrafficSample::*member, JsonWriter* json) {
  json->Key(key).StartArray();
  for (const TrafficSample& sample : samples) {
    json->Double(Rounded(static_cast<double>(sample.*member)));
  }
  json->EndArray();
}

void WriteTraffic(const std::vector<TrafficSample>& samples, JsonWriter* json) {
  json->Key("traffic").StartObject();
  WriteSeries("requests", samples, &TrafficSample::requests, json);
  WriteSeries("errors", samples, &TrafficSample::errors, json);
  WriteSeries("p50", samples, &TrafficSample::p50, json);
  WriteSeries("p90", samples, &TrafficSample::p90, json);
  WriteSeries("p99", samples, &TrafficSample::p99, json);
  WriteSeries("queue", samples, &TrafficSample::queue, json);
  WriteSeries("lag", samples, &TrafficSample::lag, json);
  json->EndObject();
}

void WriteModel(const ModelManager& manager, const TrafficHistory& history,
                const ModelReport& report, JsonWriter* json) {
  json->StartObject().Key("name").String(report.name);
  WriteVersions(report, json);
  json->Key("bytes").Int(report.bytes).Key("lag").Uint(report.lag);
  json->Key("lag_seconds").Double(Rounded(report.lag_seconds));
  json->Key("connected").Bool(report.connected);
  json->Key("live").Bool(ramet::ParseReplicaAddress(report.source).ok());
  WriteSignatures(manager, report.name, json);
  WriteTraffic(history.SamplesOf(report.name), json);
  json->EndObject();
}

}  // namespace

std::string StatusJson(const ModelManager& manager, const TrafficHistory& history,
                       std::chrono::steady_clock::duration uptime) {
  std::string text;
  JsonWriter json(&text);
  json.StartObject().Key("server").StartObject();
  json.Key("version").String(RAMET_VERSION).Key("ready").Bool(manager.Ready());
  json.Key("uptime_seconds").Double(std::floor(Seconds(uptime)));
  json.Key("memory").StartArray();
  for (const uint64_t bytes : history.Memory()) json.Uint(bytes);
  json.EndArray().EndObject().Key("models").StartArray();
  for (const ModelReport& report : manager.Reports()) WriteModel(manager, history, report, &json);
  json.EndArray().EndObject();
  return text;
}

}  // namespace server
