#pragma once

#include <ramet/ramet.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/fake_manager.h"
#include "rest/front_end.h"

namespace server {

// Keeps the answer to one request.
class AnswerKeeper : public AnsweredConnection {
 public:
  void Answer(HttpResponse response) override { answer = std::move(response); }
  HttpResponse answer = {.status = 0};
};

// Keeps the requests that were logged.
class FakeLog final : public RequestLog {
 public:
  ramet::Status Configure(const std::map<std::string, LoggingConfig>&) override { return {}; }
  bool Samples(std::string_view model) override { return model == sampled; }
  void Add(LogRecord record) override { records.push_back(std::move(record)); }
  void Flush() override {}

  std::string sampled = "m";
  std::vector<LogRecord> records = {};
};

// A front end with a fake manager, asked without a network.
class TestFrontEnd {
 public:
  explicit TestFrontEnd(const RestOptions& options = {})
      : front_end(RestContext{&manager, &metrics, options, &log}) {}

  HttpResponse Ask(HttpRequest request) {
    if (request.received == std::chrono::steady_clock::time_point()) {
      request.received = std::chrono::steady_clock::now();
    }
    auto keeper = std::make_shared<AnswerKeeper>();
    front_end.Handle(std::move(request), HttpResponder(keeper));
    return keeper->answer;
  }
  HttpResponse Get(std::string target, HttpHeaders headers = {}) {
    return Ask({.method = "GET", .target = std::move(target), .headers = std::move(headers)});
  }
  HttpResponse Post(std::string target, std::string body, HttpHeaders headers = {}) {
    return Ask({.method = "POST",
                .target = std::move(target),
                .headers = std::move(headers),
                .body = std::move(body)});
  }

  FakeManager manager;
  ServingMetrics metrics;
  FakeLog log;
  FrontEnd front_end;
};

// Adds a version whose outputs are the inputs with the same tensor names.
inline std::shared_ptr<FakeVersion> AddEcho(FakeManager* manager, const std::string& model,
                                            int64_t number, Signatures signatures) {
  auto echo = [](const RunTensors& tensors, const std::vector<ramet::Tensor>& feeds,
                 const RunLimits&) -> ramet::StatusOr<std::vector<ramet::Tensor>> {
    std::vector<ramet::Tensor> outputs;
    for (const std::string& fetch : tensors.fetches) {
      for (size_t i = 0; i < feeds.size(); ++i) {
        if (tensors.feeds[i] == fetch) outputs.push_back(feeds[i]);
      }
    }
    return outputs;
  };
  auto version =
      std::make_shared<FakeVersion>(model, number, std::move(signatures), std::move(echo));
  manager->Add(version);
  return version;
}

// Returns a signature whose outputs are its inputs.
inline ramet::Signature EchoSignature(
    const std::vector<std::pair<std::string, ramet::DType>>& tensors,
    const std::string& suffix = "") {
  ramet::Signature signature;
  signature.method_name = ramet::saved_model_keys::kPredictMethod;
  for (const auto& [name, dtype] : tensors) {
    const ramet::SignatureTensor tensor = {.name = name + ":0", .dtype = dtype};
    signature.inputs[name] = tensor;
    signature.outputs[name + suffix] = tensor;
  }
  return signature;
}

}  // namespace server
