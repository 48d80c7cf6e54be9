// The training step and the inference of floor_mlp.cc with the functions of ramet/linalg, in the
// order in which a graph runs its operations. Running the graph itself adds the cost of the
// runtime.

#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "ramet/linalg/elementwise.h"
#include "ramet/linalg/gemm.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/reduce.h"
#include "ramet/linalg/softmax.h"
#include "ramet/linalg/training.h"

namespace {

using namespace ramet::linalg;  // NOLINT: not a library
using Floats = std::vector<float>;

constexpr Type kF = Type::kFloat;
constexpr int64_t kIn = 784, kHidden = 256, kClasses = 10;

struct Layer {
  int64_t batch, in, out;
  Floats w, b, y, dw, db;
  BroadcastPlan bias;

  Layer(int64_t batch, int64_t in, int64_t out, std::mt19937* random)
      : batch(batch), in(in), out(out), w(in * out), b(out), y(batch * out), dw(in * out), db(out) {
    const float limit = std::sqrt(6.0f / (in + out));
    std::uniform_real_distribution<float> values(-limit, limit);
    for (float& v : w) v = values(*random);
    const int64_t a_shape[] = {batch, out}, b_shape[] = {out};
    BroadcastPlan::Make(a_shape, b_shape, &bias);
  }

  void Forward(const Floats& x, bool relu) {
    Gemm<float>(false, false, batch, out, in, x.data(), w.data(), y.data());
    Binary(BinaryOp::kAdd, kF, bias, y.data(), b.data(), y.data());
    if (relu) Unary(UnaryOp::kRelu, kF, y.data(), y.data(), batch * out);
  }

  void Backward(const Floats& x, const Floats& dy, Floats* dx) {
    if (dx != nullptr) {
      Gemm<float>(false, true, batch, in, out, dy.data(), w.data(), dx->data());
      Binary(BinaryOp::kReluGrad, kF, dx->data(), x.data(), dx->data(), batch * in);
    }
    Reduce(ReduceOp::kSum, kF, ReducePlan::Columns(batch, out), dy.data(), db.data());
    Gemm<float>(true, false, in, out, batch, x.data(), dy.data(), dw.data());
    ApplyGradientDescent(kF, out, Update::InPlace(b.data()), 0.1f, db.data());
    ApplyGradientDescent(kF, in * out, Update::InPlace(w.data()), 0.1f, dw.data());
  }
};

struct Mlp {
  explicit Mlp(int64_t batch)
      : batch(batch),
        layer1(batch, kIn, kHidden, &random),
        layer2(batch, kHidden, kHidden, &random),
        layer3(batch, kHidden, kClasses, &random),
        x(batch * kIn),
        labels(batch * kClasses),
        p(batch * kClasses),
        log_p(batch * kClasses),
        dlogits(batch * kClasses),
        dh2(batch * kHidden),
        dh1(batch * kHidden),
        row(batch) {
    std::uniform_real_distribution<float> pixel(0, 1);
    for (float& v : x) v = pixel(random);
    for (int64_t r = 0; r < batch; ++r) labels[r * kClasses + random() % kClasses] = 1;
    const int64_t shape[] = {batch, kClasses}, row_shape[] = {batch, 1};
    BroadcastPlan::Make(shape, row_shape, &by_row);
  }

  void Infer() {
    layer1.Forward(x, true);
    layer2.Forward(layer1.y, true);
    layer3.Forward(layer2.y, false);
    Softmax(kF, batch, kClasses, layer3.y.data(), p.data());
  }

  float Loss() {
    const int64_t n = batch * kClasses;
    float loss = 0;
    Unary(UnaryOp::kLog, kF, p.data(), log_p.data(), n);
    Binary(BinaryOp::kMul, kF, labels.data(), log_p.data(), log_p.data(), n);
    Reduce(ReduceOp::kSum, kF, ReducePlan::Rows(batch, kClasses), log_p.data(), row.data());
    Unary(UnaryOp::kNeg, kF, row.data(), row.data(), batch);
    Reduce(ReduceOp::kMean, kF, ReducePlan::Full(batch), row.data(), &loss);
    return loss;
  }

  void LossGradient() {
    const int64_t n = batch * kClasses;
    const float scale = -1.0f / static_cast<float>(batch);
    Binary(BinaryOp::kMul, kF, BroadcastPlan::ScalarLeft(n), &scale, labels.data(), dlogits.data());
    Unary(UnaryOp::kReciprocal, kF, p.data(), log_p.data(), n);
    Binary(BinaryOp::kMul, kF, dlogits.data(), log_p.data(), dlogits.data(), n);
    Binary(BinaryOp::kMul, kF, dlogits.data(), p.data(), log_p.data(), n);
    Reduce(ReduceOp::kSum, kF, ReducePlan::Rows(batch, kClasses), log_p.data(), row.data());
    Binary(BinaryOp::kSub, kF, by_row, dlogits.data(), row.data(), dlogits.data());
    Binary(BinaryOp::kMul, kF, dlogits.data(), p.data(), dlogits.data(), n);
  }

  float Step() {
    Infer();
    const float loss = Loss();
    LossGradient();
    layer3.Backward(layer2.y, dlogits, &dh2);
    layer2.Backward(layer1.y, dh2, &dh1);
    layer1.Backward(x, dh1, nullptr);
    return loss;
  }

  std::mt19937 random{1};
  int64_t batch;
  Layer layer1, layer2, layer3;
  Floats x, labels, p, log_p, dlogits, dh2, dh1, row;
  BroadcastPlan by_row;
};

void TrainStep(benchmark::State& state, int threads, bool deterministic) {
  SetIntraOpThreads(threads);
  SetDeterministic(deterministic);
  Mlp mlp(50);
  for (auto _ : state) benchmark::DoNotOptimize(mlp.Step());
  SetDeterministic(false);
}

void Inference(benchmark::State& state, int threads, int64_t batch) {
  SetIntraOpThreads(threads);
  Mlp mlp(batch);
  for (auto _ : state) {
    mlp.Infer();
    benchmark::ClobberMemory();
  }
}

const bool registered = [] {
  for (const int threads : {1, 2}) {
    const std::string suffix = "/threads:" + std::to_string(threads);
    benchmark::RegisterBenchmark(("linalg/mlp_train_step" + suffix).c_str(), TrainStep, threads,
                                 false)
        ->UseRealTime();
    benchmark::RegisterBenchmark(("linalg/mlp_train_step/deterministic" + suffix).c_str(),
                                 TrainStep, threads, true)
        ->UseRealTime();
    for (const int64_t batch : {1, 50}) {
      benchmark::RegisterBenchmark(
          ("linalg/mlp_inference/batch:" + std::to_string(batch) + suffix).c_str(), Inference,
          threads, batch)
          ->UseRealTime();
    }
  }
  return true;
}();

}  // namespace
