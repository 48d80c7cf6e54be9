// The MLP of floor_mlp.cc on Ramet, with the same shapes, batches and thread counts.
#include <benchmark/benchmark.h>

#include "measure.h"
#include "ramet/ramet.h"

namespace ramet {
namespace {

constexpr int64_t kBatch = 50;

Tensor Random(const Shape& shape) {
  Tensor t(kFloat, shape);
  uint32_t state = 1;
  for (float& v : t.mutable_flat<float>()) {
    state = state * 1664525u + 1013904223u;
    v = static_cast<float>(state >> 8) / static_cast<float>(1 << 24);
  }
  return t;
}

Tensor Labels() {
  Tensor t(kFloat, {kBatch, 10});
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    t.mutable_data<float>()[i] = i % 10 == (i / 10) % 10 ? 1.0f : 0.0f;
  }
  return t;
}

// A graph and an initialized session with `threads` threads.
struct Network {
  explicit Network(int threads) {
    Scope s(graph);
    x = s.Placeholder("x", kFloat, {-1, 784});
    y = s.Placeholder("y", kFloat, {-1, 10});
    auto dense = [&](const Output& in, const char* name, int64_t from, int64_t to) {
      Variable w = s.GetVariable(name, {from, to}, GlorotUniform(1));
      Variable b = s.NewVariable(Tensor::Of<float>({to}, {0.0f}));
      return MatMul(in, w) + b;
    };
    Output h = Relu(dense(x, "w0", 784, 256));
    h = Relu(dense(h, "w1", 256, 256));
    out = Softmax(dense(h, "w2", 256, 10));
    Output loss = ReduceMean(-ReduceSum(y * Log(out), {1}));
    train = GradientDescent(0.05).Minimize(loss);
    session.emplace(Session::Create(graph, {.intra_op_parallelism_threads = threads}).value());
    session->InitializeMissing().value();
  }

  Graph graph;
  Output x, y, out;
  Operation train;
  std::optional<Session> session;
};

void TrainStep(benchmark::State& state, int threads) {
  Network n(threads);
  MeasureRuns(state, n.session->MakeCallable({n.x, n.y}, {n.train}).value(),
              {Random({kBatch, 784}), Labels()});
}

void Inference(benchmark::State& state, int threads, int64_t batch) {
  Network n(threads);
  MeasureRuns(state, n.session->MakeCallable({n.x}, {n.out}).value(), {Random({batch, 784})});
}

[[maybe_unused]] const bool registered = [] {
  for (int threads : {1, 2}) {
    const std::string suffix = StrCat("/threads:", threads);
    benchmark::RegisterBenchmark(("ramet/mlp_train_step" + suffix).c_str(), TrainStep, threads)
        ->UseRealTime();
    for (int64_t batch : {1, 50}) {
      benchmark::RegisterBenchmark(StrCat("ramet/mlp_inference/batch:", batch, suffix).c_str(),
                                   Inference, threads, batch)
          ->UseRealTime();
    }
  }
  return true;
}();

}  // namespace
}  // namespace ramet
