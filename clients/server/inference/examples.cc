#include "inference/examples.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "inference/signature_text.h"

namespace server {
namespace {

namespace rm = ramet;

constexpr size_t kMaxSignaturesForSets = 6;
constexpr char kClasses[] = "classes";
constexpr char kScores[] = "scores";

// One head of a request: a signature, and where its outputs are among those of the run.
struct Head {
  std::string key = {};
  std::optional<size_t> classes = {}, scores = {}, outputs = {};
};

// One run for all heads.
struct ExamplesRun {
  RunTensors tensors = {};
  std::vector<rm::Tensor> feeds = {};
  int64_t examples = 0;

  // Returns the position of a tensor among the fetches. Adds it if it is new.
  size_t Fetch(const std::string& name) {
    const auto found = std::ranges::find(tensors.fetches, name);
    const auto position = static_cast<size_t>(found - tensors.fetches.begin());
    if (found == tensors.fetches.end()) tensors.fetches.push_back(name);
    return position;
  }
};

rm::StatusOr<const rm::Signature*> FindSignature(const Signatures& signatures,
                                                 const std::string& key) {
  const auto found = signatures.find(key);
  if (found != signatures.end()) return &found->second;
  return rm::InvalidArgument("No signature was found with the name: ", key);
}

rm::Status AddInput(const rm::Signature& signature, const char* what, ExamplesRun* run) {
  if (signature.inputs.size() != 1) return rm::InvalidArgument("Expected one input Tensor.");
  const auto input = signature.inputs.find(rm::saved_model_keys::kInputs);
  if (input == signature.inputs.end() || input->second.name.empty()) {
    return rm::InvalidArgument("No ", what, " inputs found in SignatureDef: the input is '",
                               signature.inputs.begin()->first, "', expected '",
                               rm::saved_model_keys::kInputs, "'");
  }
  const auto& feeds = run->tensors.feeds;
  if (std::ranges::find(feeds, input->second.name) != feeds.end()) return rm::OkStatus();
  run->tensors.feeds.push_back(input->second.name);
  return rm::OkStatus();
}

rm::StatusOr<Head> AddClassifier(const std::string& key, const rm::Signature& signature,
                                 ExamplesRun* run) {
  RAMET_RETURN_IF_ERROR(AddInput(signature, "classification", run));
  const size_t count = signature.outputs.size();
  if (count != 1 && count != 2) {
    return rm::InvalidArgument("Expected one or two output Tensors, found ", count);
  }
  Head head{.key = key};
  const auto classes = signature.outputs.find(kClasses);
  const auto scores = signature.outputs.find(kScores);
  const bool has_classes = classes != signature.outputs.end();
  const bool has_scores = scores != signature.outputs.end();
  if (has_classes) head.classes = run->Fetch(classes->second.name);
  if (has_scores) head.scores = run->Fetch(scores->second.name);
  if (static_cast<size_t>(has_classes) + static_cast<size_t>(has_scores) == count) return head;
  return rm::InvalidArgument(
      "Expected classification signature outputs to contain at least one of \"classes\" and "
      "\"scores\", and nothing else. Signature outputs were: ",
      ListOf(KeysOf(signature.outputs)));
}

rm::StatusOr<Head> AddRegressor(const std::string& key, const rm::Signature& signature,
                                ExamplesRun* run) {
  RAMET_RETURN_IF_ERROR(AddInput(signature, "regression", run));
  if (signature.outputs.size() != 1) return rm::InvalidArgument("Expected one output Tensor.");
  const auto output = signature.outputs.find(rm::saved_model_keys::kOutputs);
  if (output == signature.outputs.end()) {
    return rm::InvalidArgument("No regression outputs found in SignatureDef: the output is '",
                               signature.outputs.begin()->first, "', expected '",
                               rm::saved_model_keys::kOutputs, "'");
  }
  return Head{.key = key, .outputs = run->Fetch(output->second.name)};
}

// Feeds the examples, each after the context. The parts of a message that are serialized one after
// the other are merged, and the last value of a feature is used.
rm::Status AddExamples(const ExamplesRequest& request, ExamplesRun* run) {
  if (request.examples.empty()) return rm::InvalidArgument("Input is empty.");
  run->examples = static_cast<int64_t>(request.examples.size());
  RAMET_ASSIGN_OR_RETURN(rm::Tensor examples,
                         rm::Tensor::Allocate(rm::DType::kString, rm::Shape{run->examples}));
  auto elements = examples.mutable_flat<std::string>();
  for (size_t i = 0; i < elements.size(); ++i) {
    elements[i] = request.context + request.examples[i];
  }
  run->feeds.assign(run->tensors.feeds.size(), examples);
  return rm::OkStatus();
}

rm::Status WrongCount(const char* what, const rm::Tensor& tensor, int64_t examples) {
  return rm::InvalidArgument("Expected ", what, " output batch size of ", examples,
                             ". Got: ", tensor.rank() == 0 ? 0 : tensor.dim(0));
}

// Checks one output of a classifier.
rm::Status CheckClasses(const rm::Tensor& tensor, rm::DType dtype, const char* name,
                        int64_t examples) {
  if (tensor.dtype() != dtype) {
    return rm::InvalidArgument("Expected ", name, " Tensor of ", rm::DTypeName(dtype),
                               ". Got: ", rm::DTypeName(tensor.dtype()));
  }
  if (tensor.rank() != 2) {
    return rm::InvalidArgument("Expected Tensor shape: [batch_size num_classes] but got ",
                               tensor.shape().ToString(), " for ", name);
  }
  return tensor.dim(0) == examples ? rm::OkStatus()
                                   : WrongCount("classification", tensor, examples);
}

rm::StatusOr<Classifications> ReadClasses(const Head& head, const std::vector<rm::Tensor>& outputs,
                                          int64_t examples) {
  const rm::Tensor* classes = head.classes ? &outputs[*head.classes] : nullptr;
  const rm::Tensor* scores = head.scores ? &outputs[*head.scores] : nullptr;
  if (classes) {
    RAMET_RETURN_IF_ERROR(CheckClasses(*classes, rm::DType::kString, kClasses, examples));
  }
  if (scores) {
    RAMET_RETURN_IF_ERROR(CheckClasses(*scores, rm::DType::kFloat, kScores, examples));
  }
  if (classes && scores && classes->dim(1) != scores->dim(1)) {
    return rm::InvalidArgument("Tensors class and score should match in dim_size(1). Got ",
                               classes->dim(1), " vs. ", scores->dim(1));
  }
  const size_t count = static_cast<size_t>(classes ? classes->dim(1) : scores->dim(1));
  Classifications result(static_cast<size_t>(examples), std::vector<Class>(count));
  for (size_t i = 0; i < result.size(); ++i) {
    for (size_t k = 0; k < count; ++k) {
      if (classes) result[i][k].label = classes->flat<std::string>()[i * count + k];
      if (scores) result[i][k].score = scores->flat<float>()[i * count + k];
    }
  }
  return result;
}

rm::StatusOr<Regressions> ReadValues(const Head& head, const std::vector<rm::Tensor>& outputs,
                                     int64_t examples) {
  const rm::Tensor& values = outputs[*head.outputs];
  const bool is_column = values.rank() == 2 && values.dim(1) == 1;
  if (values.rank() != 1 && !is_column) {
    return rm::InvalidArgument(
        "Expected output Tensor shape to be either [batch_size] or [batch_size, 1] but got ",
        values.shape().ToString());
  }
  if (values.dtype() != rm::DType::kFloat) {
    return rm::InvalidArgument("Expected output Tensor of float. Got: ",
                               rm::DTypeName(values.dtype()));
  }
  if (values.dim(0) != examples) return WrongCount("regression", values, examples);
  return Regressions(values.flat<float>().begin(), values.flat<float>().end());
}

// Runs one head and converts its outputs with `read`.
template <class Result, class Add, class Read>
void RunHead(const std::shared_ptr<ModelVersion>& version, const ExamplesRequest& request,
             const RunLimits& limits, ExamplesDone<Result> done, Add add, Read read) {
  const std::string key = SignatureKey(request.signature_name);
  const auto signatures = version->signatures();
  const auto signature = FindSignature(*signatures, key);
  if (!signature.ok()) return done(signature.status());
  ExamplesRun run;
  const auto head = add(key, **signature, &run);
  if (!head.ok()) return done(head.status());
  if (const rm::Status added = AddExamples(request, &run); !added.ok()) return done(added);
  auto finish = [done = std::move(done), head = *head, read, version,
                 examples = run.examples](rm::StatusOr<RunResult> ran) {
    if (!ran.ok()) return done(ran.status());
    auto result = read(head, ran->outputs, examples);
    if (!result.ok()) return done(result.status());
    done(ExamplesResponse<Result>{head.key, *std::move(result), ran->answered_by});
  };
  version->Run(run.tensors, std::move(run.feeds), limits, std::move(finish));
}

rm::StatusOr<Head> AddTask(const InferenceTask& task, const Signatures& signatures,
                           ExamplesRun* run) {
  const std::string key = SignatureKey(task.signature_name);
  const auto signature = signatures.find(key);
  if (signature == signatures.end()) {
    return rm::InvalidArgument("Requested signature not found in model graph: ", key);
  }
  if (task.method_name == rm::saved_model_keys::kClassifyMethod) {
    return AddClassifier(key, signature->second, run);
  }
  if (task.method_name == rm::saved_model_keys::kRegressMethod) {
    return AddRegressor(key, signature->second, run);
  }
  return rm::Unimplemented("Unsupported signature method_name: ", task.method_name);
}

// Clients could ask for too many different sets of heads, each with a plan of its own. If there are
// many, all heads on the same examples are computed.
void AddOtherHeads(const Signatures& signatures, ExamplesRun* run) {
  if (signatures.size() <= kMaxSignaturesForSets) return;
  const auto& feeds = run->tensors.feeds;
  for (const auto& [key, signature] : signatures) {
    const bool is_head = signature.method_name == rm::saved_model_keys::kClassifyMethod ||
                         signature.method_name == rm::saved_model_keys::kRegressMethod;
    if (!is_head || signature.inputs.size() != 1) continue;
    const std::string& input = signature.inputs.begin()->second.name;
    if (std::ranges::find(feeds, input) == feeds.end()) continue;
    for (const auto& [name, output] : signature.outputs) {
      if (!output.name.empty()) run->Fetch(output.name);
    }
  }
}

// Requests for the same heads in a different order use the same plan.
void SortFetches(ExamplesRun* run, std::vector<Head>* heads) {
  const std::vector<std::string> before = run->tensors.fetches;
  std::ranges::sort(run->tensors.fetches);
  std::ranges::sort(run->tensors.feeds);
  for (Head& head : *heads) {
    for (std::optional<size_t>* at : {&head.classes, &head.scores, &head.outputs}) {
      if (*at) *at = run->Fetch(before[**at]);
    }
  }
}

rm::StatusOr<std::vector<Head>> AddTasks(const std::vector<InferenceTask>& tasks,
                                         const Signatures& signatures, ExamplesRun* run) {
  std::vector<Head> heads;
  std::set<std::string> keys;
  for (const InferenceTask& task : tasks) {
    const std::string key = SignatureKey(task.signature_name);
    if (!keys.insert(key).second) {
      return rm::InvalidArgument("Duplicate evaluation of signature: ", key);
    }
    RAMET_ASSIGN_OR_RETURN(Head head, AddTask(task, signatures, run));
    heads.push_back(std::move(head));
  }
  AddOtherHeads(signatures, run);
  SortFetches(run, &heads);
  return heads;
}

rm::StatusOr<std::vector<TaskResult>> ReadTasks(const std::vector<Head>& heads,
                                                const std::vector<rm::Tensor>& outputs,
                                                int64_t examples) {
  std::vector<TaskResult> results;
  for (const Head& head : heads) {
    if (head.outputs) {
      RAMET_ASSIGN_OR_RETURN(auto values, ReadValues(head, outputs, examples));
      results.emplace_back(std::move(values));
    } else {
      RAMET_ASSIGN_OR_RETURN(auto classes, ReadClasses(head, outputs, examples));
      results.emplace_back(std::move(classes));
    }
  }
  return results;
}

}  // namespace

void Classify(const std::shared_ptr<ModelVersion>& version, ExamplesRequest request,
              const RunLimits& limits, ExamplesDone<Classifications> done) {
  RunHead<Classifications>(version, request, limits, std::move(done), AddClassifier, ReadClasses);
}

void Regress(const std::shared_ptr<ModelVersion>& version, ExamplesRequest request,
             const RunLimits& limits, ExamplesDone<Regressions> done) {
  RunHead<Regressions>(version, request, limits, std::move(done), AddRegressor, ReadValues);
}

void MultiInference(const std::shared_ptr<ModelVersion>& version,
                    const std::vector<InferenceTask>& tasks, ExamplesRequest request,
                    const RunLimits& limits, ExamplesDone<std::vector<TaskResult>> done) {
  ExamplesRun run;
  const auto signatures = version->signatures();
  auto heads = AddTasks(tasks, *signatures, &run);
  if (!heads.ok()) return done(heads.status());
  if (heads->empty()) return done(rm::InvalidArgument("Inference request has no tasks."));
  if (const rm::Status added = AddExamples(request, &run); !added.ok()) return done(added);
  auto finish = [done = std::move(done), heads = *std::move(heads), version,
                 examples = run.examples](rm::StatusOr<RunResult> ran) {
    if (!ran.ok()) return done(ran.status());
    auto results = ReadTasks(heads, ran->outputs, examples);
    if (!results.ok()) return done(results.status());
    done(ExamplesResponse<std::vector<TaskResult>>{heads.front().key, *std::move(results),
                                                   ran->answered_by});
  };
  version->Run(run.tensors, std::move(run.feeds), limits, std::move(finish));
}

}  // namespace server
