#include <algorithm>
#include <cstdio>
#include <vector>

#include "pictures.h"
#include "roles.h"

namespace example {
namespace {

namespace rm = ramet;

struct Head {
  rm::Output labels, loss, right;
};

// Adds a linear classifier on top of the imported features. `right`, the tensor "our_head/right:0",
// is its accuracy.
Head AddHead(rm::Scope& root, const rm::Output& features) {
  rm::Scope s = root.VariableScope("our_head");
  auto labels = s.Placeholder("labels", rm::kInt64, {-1});
  auto logits = rm::Dense(s, rm::Flatten(features), kKinds, {.name = "logits"});
  auto loss = rm::ReduceMean(rm::SparseSoftmaxCrossEntropy(labels, logits));
  auto hits = rm::Equal(rm::ArgMax(logits, 1), labels);
  return {labels, loss, rm::ReduceMean(rm::Cast(hits, rm::kFloat), {}, {.name = "right"})};
}

std::vector<rm::Variable> Without(std::vector<rm::Variable> variables,
                                  const std::vector<rm::Variable>& others) {
  std::erase_if(variables,
                [&](const rm::Variable& v) { return std::ranges::count(others, v) != 0; });
  return variables;
}

std::vector<rm::Tensor> ValuesOf(const rm::Session& session,
                                 const std::vector<rm::Variable>& variables) {
  std::vector<rm::Tensor> values;
  for (const rm::Variable& v : variables) values.push_back(session.Value(v).value());
  return values;
}

void SayWhatChanged(const rm::Session& session, const std::vector<rm::Variable>& theirs,
                    const std::vector<rm::Tensor>& before) {
  const std::vector<rm::Tensor> after = ValuesOf(session, theirs);
  int changed = 0;
  for (size_t i = 0; i < theirs.size(); ++i) changed += !after[i].BitwiseEquals(before[i]);
  std::printf("%d of the %zu imported variables have changed.\n", changed, theirs.size());
}

rm::Feeds Fed(const Options& options, const rm::GraphElement& labels, const Pictures& pictures) {
  return {{options.input, pictures.images}, {labels, pictures.labels}};
}

}  // namespace

double FineTune(const std::string& theirs, const std::string& ours, const rm::Mnist& data,
                const Options& options) {
  rm::Graph graph;
  graph.SetSeed(options.seed);
  rm::Scope s(graph);
  auto imported = rm::ImportMetaGraph(graph, theirs + ".meta", {.clear_devices = true}).value();
  auto session = rm::Session::Create(graph).value();
  imported.saver.Restore(session, theirs).value();
  const std::vector<rm::Variable> their_variables = s.GlobalVariables();
  const std::vector<rm::Variable> their_trainable = s.TrainableVariables();
  const std::vector<rm::Tensor> before = ValuesOf(session, their_variables);

  const rm::Output features = graph.Tensor(options.layer).value();
  const Head head = AddHead(s, options.train_all ? features : rm::StopGradient(features));
  const auto learning =
      options.train_all ? s.TrainableVariables() : Without(s.TrainableVariables(), their_trainable);
  auto train =
      rm::Adam(options.rate, {.name = "OurAdam"}).Minimize(head.loss, {.var_list = learning});
  const auto fresh = Without(s.GlobalVariables(), their_variables);
  session.Run(s.VariablesInitializer(fresh)).value();

  const Pictures few = PicturesOf(data.train, kKinds, options.pictures);
  const rm::Feeds test = Fed(options, head.labels, PicturesOf(data.test, kKinds));
  std::printf("Cut at %s; %zu new variables; training %zu variables on %lld pictures.\n",
              options.layer.c_str(), fresh.size(), learning.size(),
              static_cast<long long>(few.count()));
  std::printf("Accuracy before training: %.4f\n",
              session.Run(test, head.right).value().scalar<float>());
  for (int64_t step = 0; step < options.steps; ++step) {
    session.Run(Fed(options, head.labels, few.BatchOf(step, 50)), train).value();
  }
  const double right = session.Run(test, head.right).value().scalar<float>();
  std::printf("Accuracy after training:  %.4f\n", right);
  SayWhatChanged(session, their_variables, before);
  rm::Saver saver(graph, {.name = "our_save"});
  std::printf("Fine-tuned checkpoint: %s\n", saver.Save(session, ours).value().c_str());
  return right;
}

double Serve(const std::string& ours, const rm::Mnist& data, const Options& options) {
  rm::Graph graph;
  auto imported = rm::ImportMetaGraph(graph, ours + ".meta").value();
  auto session = rm::Session::Create(graph).value();
  imported.saver.Restore(session, ours).value();
  const Pictures test = PicturesOf(data.test, kKinds);
  return session.Run(Fed(options, "our_head/labels:0", test), "our_head/right:0")
      .value()
      .scalar<float>();
}

}  // namespace example
