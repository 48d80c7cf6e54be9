#include <cstdio>

#include "pictures.h"
#include "roles.h"

namespace example {
namespace {

namespace rm = ramet;

rm::Output ConvolveAndPool(rm::Scope& s, const rm::Output& x, int64_t channels,
                           const std::string& number) {
  const int64_t in = x.shape().dim(3);
  auto kernel = s.GetVariable("conv" + number + "/kernel", {5, 5, in, channels});
  auto bias = s.GetVariable("conv" + number + "/bias", {channels}, rm::Zeros());
  auto conv = rm::Relu(rm::Conv2D(x, kernel, {1, 1, 1, 1}, "SAME") + bias, "conv" + number);
  return rm::MaxPool(conv, {1, 2, 2, 1}, {1, 2, 2, 1}, "SAME", "pool" + number);
}

}  // namespace

void TrainTheirs(const std::string& prefix, const rm::Mnist& data, const Options& options) {
  rm::Graph graph;
  graph.SetSeed(options.seed);
  rm::Scope s(graph);
  auto images = s.Placeholder("images", rm::kFloat, {-1, 28, 28, 1});
  auto labels = s.Placeholder("labels", rm::kInt64, {-1});
  auto pool = ConvolveAndPool(s, ConvolveAndPool(s, images, 8, "1"), 16, "2");
  auto hidden = rm::Dense(s, rm::Flatten(pool), 64, {.name = "hidden"});
  auto features = rm::Relu(hidden, "features");
  auto logits = rm::Dense(s, features, kKinds, {.name = "head"});
  auto loss = rm::ReduceMean(rm::SparseSoftmaxCrossEntropy(labels, logits));
  auto train = rm::Adam(0.001).Minimize(loss);
  auto init = s.GlobalVariablesInitializer();
  rm::Saver saver(graph);

  auto session = rm::Session::Create(graph).value();
  session.Run(init).value();
  const Pictures theirs = PicturesOf(data.train, 0);
  for (int64_t step = 0; step < 200; ++step) {
    const Pictures batch = theirs.BatchOf(step, 50);
    session.Run({{images, batch.images}, {labels, batch.labels}}, train).value();
  }
  std::printf("Pretrained checkpoint: %s\n", saver.Save(session, prefix).value().c_str());
}

}  // namespace example
