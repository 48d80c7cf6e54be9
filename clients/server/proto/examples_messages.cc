#include "proto/examples_messages.h"

#include <utility>

namespace server {
namespace {

template <class List>
void TakeList(List* list, ExamplesRequest* out) {
  out->examples.reserve(static_cast<size_t>(list->examples_size()));
  for (std::string& example : *list->mutable_examples()) {
    out->examples.push_back(std::move(example));
  }
}

}  // namespace

ExamplesRequest TakeExamples(std::string signature_name, tensorflow::serving::Input* input) {
  ExamplesRequest request;
  request.signature_name = std::move(signature_name);
  if (input->has_example_list()) TakeList(input->mutable_example_list(), &request);
  if (input->has_example_list_with_context()) {
    auto* list = input->mutable_example_list_with_context();
    TakeList(list, &request);
    request.context = std::move(*list->mutable_context());
  }
  return request;
}

tensorflow::serving::ClassificationResult ResultMessage(const Classifications& results) {
  tensorflow::serving::ClassificationResult message;
  for (const std::vector<Class>& classes : results) {
    auto* of_example = message.add_classifications();
    for (const Class& c : classes) {
      auto* out = of_example->add_classes();
      out->set_label(c.label);
      out->set_score(c.score);
    }
  }
  return message;
}

tensorflow::serving::RegressionResult ResultMessage(const Regressions& results) {
  tensorflow::serving::RegressionResult message;
  for (const float value : results) message.add_regressions()->set_value(value);
  return message;
}

ramet::StatusOr<std::vector<InferenceTask>> TasksOf(
    const tensorflow::serving::MultiInferenceRequest& request) {
  std::vector<InferenceTask> tasks;
  for (const auto& task : request.tasks()) {
    if (task.model_spec().name() != request.tasks(0).model_spec().name()) {
      return ramet::InvalidArgument(
          "All ModelSpecs in a MultiInferenceRequest must access the same model name: found '",
          request.tasks(0).model_spec().name(), "' and '", task.model_spec().name(), "'");
    }
    tasks.push_back({task.model_spec().signature_name(), task.method_name()});
  }
  return tasks;
}

}  // namespace server
