#include <ramet/ramet.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "gpu.h"
#include "report.h"
#include "roles.h"

namespace example {
namespace {

namespace rm = ramet;

struct Net {
  rm::Output inputs, labels, output, loss;
  rm::Operation train, init;
};

Net BuildNet(rm::Graph& graph, const Options& options) {
  rm::Scope root(graph);
  rm::Scope s = root.Device(options.trainer_device);
  auto inputs = s.Placeholder("inputs", rm::kFloat, {-1, 784});
  auto labels = s.Placeholder("labels", rm::kFloat, {-1, 10});

  auto w0 = s.GetVariable("w0", {784, 256}, rm::GlorotUniform());
  auto w1 = s.GetVariable("w1", {256, 256}, rm::GlorotUniform());
  auto w2 = s.GetVariable("w2", {256, 10}, rm::GlorotUniform());
  auto b0 = s.NewVariable(rm::Tensor::Of<float>({256}, {0}));
  auto b1 = s.NewVariable(rm::Tensor::Of<float>({256}, {0}));
  auto b2 = s.NewVariable(rm::Tensor::Of<float>({10}, {0}));

  auto h1 = rm::Relu(rm::MatMul(inputs, w0) + b0);
  auto h2 = rm::Relu(rm::MatMul(h1, w1) + b1);
  auto output = rm::Softmax(rm::MatMul(h2, w2) + b2, "output");

  auto loss = rm::ReduceMean(-rm::ReduceSum(labels * rm::Log(output), {1}));
  auto step = rm::GetOrCreateGlobalStep(graph);
  auto train = rm::GradientDescent(options.rate).Minimize(loss, {.global_step = step});
  return {inputs, labels, output, loss, train, s.GlobalVariablesInitializer()};
}

// Waits for a follower, so that it misses no version.
void WaitForFollower(const rm::Publisher& publisher) {
  while (publisher.stats().readers == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

template <class Work>
Span Timed(Work work) {
  const int64_t begin = NowNanos();
  work();
  return {begin, NowNanos()};
}

}  // namespace

int Train(const Options& options) {
  auto mnist = rm::Mnist::Read(options.data, {.one_hot = true, .seed = options.seed}).value();
  const rm::Tensor test_images = mnist.test.images();
  const rm::Tensor test_labels = mnist.test.labels();

  rm::Graph graph;
  graph.SetSeed(options.seed);
  Net net = BuildNet(graph, options);
  rm::Saver saver(graph);
  auto session = rm::Session::Create(graph, {.intra_op_parallelism_threads = options.threads,
                                             .allow_soft_placement = IsGpu(options.trainer_device),
                                             .deterministic = true})
                     .value();
  CheckGpu(session, options.trainer_device).value();
  session.Run(net.init).value();
  // On a GPU, a version is copied while the next steps run. If it is not there by the next update,
  // the trainer waits.
  auto publisher =
      rm::Publisher::Open(options.address, session,
                          {.retention = {.at_limit = rm::RetentionOptions::AtLimit::kWait}})
          .value();
  WaitForFollower(publisher);

  for (int64_t step = 1; step <= options.steps; ++step) {
    auto [images, labels] = mnist.train.NextBatch(50);
    auto run =
        session.Run({{net.inputs, images}, {net.labels, labels}}, {net.loss, net.train}).value();
    const float loss = run[0].scalar<float>();
    if (std::isnan(loss)) {
      Tell(Failure{kNaN, rm::StrCat("the loss became NaN at step ", step, " (rate ", options.rate,
                                    "): a softmax output reached 0, whose logarithm is infinite; "
                                    "use a smaller --rate")});
      return kNaN;
    }
    if (step % options.save_every != 0 && step != options.steps) continue;
    Report report{.step = step, .change = loss};
    report.published = Timed([&] { publisher.Publish({.step = step}).value(); });
    report.saved = Timed([&] { saver.Save(session, options.checkpoint()).value(); });
    auto outputs = session.Run({{net.inputs, test_images}}, net.output).value();
    CountCorrect(outputs, test_labels, &report);
    Tell(report);
  }
  return kOk;
}

}  // namespace example
