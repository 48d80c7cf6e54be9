#include "inference/predict.h"

#include <algorithm>
#include <set>

#include "inference/signature_text.h"

namespace server {
namespace {

namespace rm = ramet;
using Tensors = std::map<std::string, rm::SignatureTensor>;

// With more outputs, clients could ask for too many different sets of them, each with a plan of its
// own. Then all are computed unless only one is wanted.
constexpr size_t kMaxOutputsForSets = 6;

// One run: what to compute, and which of the results to return under which names.
struct PredictRun {
  RunTensors tensors = {};
  std::vector<rm::Tensor> feeds = {};
  std::vector<std::pair<std::string, size_t>> results = {};  // names and positions in the fetches
};

const rm::Tensor* FindInput(const NamedTensors& inputs, const std::string& name) {
  const auto found = std::ranges::find(inputs, name, &NamedTensors::value_type::first);
  return found == inputs.end() ? nullptr : &found->second;
}

rm::Status WrongInputs(const NamedTensors& inputs, const rm::Signature& signature) {
  std::set<std::string> sent, extra, required, missing;
  for (const auto& [name, tensor] : inputs) {
    sent.insert(name);
    if (!signature.inputs.contains(name)) extra.insert(name);
  }
  for (const auto& [name, tensor] : signature.inputs) {
    if (signature.defaults.contains(name)) continue;
    required.insert(name);
    if (!sent.contains(name)) missing.insert(name);
  }
  return rm::InvalidArgument("input size does not match signature: ", inputs.size(),
                             "!=", signature.inputs.size(), " len({", ListOf(sent), "}) != len({",
                             ListOf(required), "}). Sent extra: {", ListOf(extra),
                             "}. Missing but required: {", ListOf(missing), "}.");
}

rm::Status AddFeed(const std::string& name, const rm::SignatureTensor& input,
                   const rm::Tensor& value, PredictRun* run) {
  if (input.name.empty()) {
    return rm::Unimplemented("input '", name,
                             "' of the signature is a sparse or composite tensor, which cannot be "
                             "sent; use a signature with dense inputs");
  }
  if (value.dtype() != input.dtype && input.dtype != rm::DType::kInvalid) {
    return rm::InvalidArgument("Expects arg[", run->feeds.size(), "] to be ",
                               rm::DTypeName(input.dtype), " but ", rm::DTypeName(value.dtype()),
                               " is provided for input '", name, "'");
  }
  run->tensors.feeds.push_back(input.name);
  run->feeds.push_back(value);
  return rm::OkStatus();
}

rm::Status AddFeeds(const NamedTensors& inputs, const rm::Signature& signature, PredictRun* run) {
  const size_t required = signature.inputs.size() - signature.defaults.size();
  if (inputs.size() > signature.inputs.size() || inputs.size() < required) {
    return WrongInputs(inputs, signature);
  }
  run->tensors.feeds.reserve(signature.inputs.size());
  run->feeds.reserve(signature.inputs.size());
  size_t used = 0;
  for (const auto& [name, input] : signature.inputs) {
    const rm::Tensor* value = FindInput(inputs, name);
    used += value != nullptr;
    const auto standard = signature.defaults.find(name);
    if (value == nullptr && standard != signature.defaults.end()) value = &standard->second;
    if (value == nullptr) {
      return rm::InvalidArgument("input tensor alias ", name,
                                 " not found in request and no default value provided. Inputs "
                                 "expected to be in the set {",
                                 ListOf(KeysOf(signature.inputs)), "}.");
    }
    RAMET_RETURN_IF_ERROR(AddFeed(name, input, *value, run));
  }
  return used == inputs.size() ? rm::OkStatus() : WrongInputs(inputs, signature);
}

rm::Status CheckFilter(const std::vector<std::string>& filter, const rm::Signature& signature) {
  std::set<std::string> seen;
  for (const std::string& name : filter) {
    if (!signature.outputs.contains(name)) {
      return rm::InvalidArgument("output tensor alias not found in signature: ", name,
                                 " Outputs expected to be in the set {",
                                 ListOf(KeysOf(signature.outputs)), "}.");
    }
    if (!seen.insert(name).second) {
      return rm::InvalidArgument("duplicate output tensor alias: ", name);
    }
  }
  return rm::OkStatus();
}

rm::Status AddFetches(const std::vector<std::string>& filter, const rm::Signature& signature,
                      PredictRun* run) {
  RAMET_RETURN_IF_ERROR(CheckFilter(filter, signature));
  const bool computes_all =
      filter.empty() || (filter.size() > 1 && signature.outputs.size() > kMaxOutputsForSets);
  run->tensors.fetches.reserve(signature.outputs.size());
  run->results.reserve(signature.outputs.size());
  for (const auto& [name, output] : signature.outputs) {
    const bool wanted = filter.empty() || std::ranges::find(filter, name) != filter.end();
    if (!wanted && !computes_all) continue;
    if (output.name.empty()) {
      if (!wanted) continue;
      return rm::Unimplemented("output '", name,
                               "' of the signature is a sparse or composite tensor, which cannot "
                               "be sent; choose others with output_filter");
    }
    if (wanted) run->results.emplace_back(name, run->tensors.fetches.size());
    run->tensors.fetches.push_back(output.name);
  }
  return rm::OkStatus();
}

rm::StatusOr<PredictRun> Prepare(const PredictRequest& request, const Signatures& signatures) {
  const std::string key = SignatureKey(request.signature_name);
  const auto signature = signatures.find(key);
  if (signature == signatures.end()) {
    return rm::FailedPrecondition("Serving signature key \"", key, "\" not found.");
  }
  PredictRun run;
  RAMET_RETURN_IF_ERROR(AddFeeds(request.inputs, signature->second, &run));
  RAMET_RETURN_IF_ERROR(AddFetches(request.output_filter, signature->second, &run));
  return run;
}

}  // namespace

void Predict(const std::shared_ptr<ModelVersion>& version, PredictRequest request,
             const RunLimits& limits, PredictDone done) {
  auto run = Prepare(request, *version->signatures());
  if (!run.ok()) return done(run.status());
  auto finish = [done = std::move(done), results = std::move(run->results), version,
                 key = SignatureKey(request.signature_name)](rm::StatusOr<RunResult> ran) {
    if (!ran.ok()) return done(ran.status());
    PredictResponse response{.signature_name = key, .answered_by = ran->answered_by};
    response.outputs.reserve(results.size());
    for (const auto& [name, index] : results) {
      response.outputs.emplace_back(name, std::move(ran->outputs[index]));
    }
    done(std::move(response));
  };
  version->Run(run->tensors, std::move(run->feeds), limits, std::move(finish));
}

}  // namespace server
