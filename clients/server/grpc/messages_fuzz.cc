// Fuzzes everything that a client or a file can send: the requests of the calls, raw and typed
// tensors, records of warm-up files, and configuration files. The first byte chooses.
#include <cstdint>
#include <string>

#include "config/model_server_config.h"
#include "config/text_proto.h"
#include "grpc/v2_tensors.h"
#include "log/warmup_file.h"
#include "proto/examples_messages.h"
#include "proto/model_messages.h"
#include "proto/predict_messages.h"

namespace server {
namespace {

void FuzzPredict(std::string_view bytes) {
  auto message = ParsePredict(bytes);
  if (message.ok()) PredictRequestOf(*message).status().IgnoreError();
}

void FuzzExamples(std::string_view bytes) {
  auto request = ParseMessage<tensorflow::serving::MultiInferenceRequest>(bytes);
  if (!request.ok()) return;
  TasksOf(*request).status().IgnoreError();
  TakeExamples("", request->mutable_input());
}

void FuzzInfer(std::string_view bytes) {
  const auto request = ParseMessage<inference::ModelInferRequest>(bytes);
  if (!request.ok()) return;
  for (int i = 0; i < request->inputs_size(); ++i) {
    const bool raw = i < request->raw_input_contents_size();
    V2InputTensor(request->inputs(i), raw ? &request->raw_input_contents(i) : nullptr)
        .status()
        .IgnoreError();
  }
}

void FuzzConfig(std::string_view bytes) {
  tensorflow::serving::ModelServerConfig config;
  if (!ParseTextProto("file", std::string(bytes), &config).ok()) return;
  ModelConfigsOf(config).status().IgnoreError();
}

}  // namespace
}  // namespace server

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 5) {
    case 0: server::FuzzPredict(bytes); break;
    case 1: server::FuzzExamples(bytes); break;
    case 2: server::FuzzInfer(bytes); break;
    case 3: server::FuzzConfig(bytes); break;
    case 4: server::ParseWarmupRecord(bytes).status().IgnoreError(); break;
  }
  return 0;
}
