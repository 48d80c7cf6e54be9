#include "mlp.h"

namespace ramet::testing {
namespace {

constexpr int64_t kBatch = 50;
constexpr int64_t kClasses = 5;

Tensor OneHotLabels() {
  Tensor labels(kFloat, {kBatch, kClasses});
  for (int64_t i = 0; i < kBatch; ++i) {
    for (int64_t k = 0; k < kClasses; ++k) {
      labels.mutable_data<float>()[i * kClasses + k] = i % kClasses == k ? 1.0f : 0.0f;
    }
  }
  return labels;
}

}  // namespace

Tensor PseudoRandom(const Shape& shape, uint32_t seed) {
  Tensor t(kFloat, shape);
  for (float& v : t.mutable_flat<float>()) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<float>(seed >> 8) / static_cast<float>(1 << 24);
  }
  return t;
}

Mlp::Mlp(Graph& graph, std::string_view device, int64_t inputs, int64_t hidden)
    : images(PseudoRandom({kBatch, inputs}, 1)), labels(OneHotLabels()) {
  Scope root(graph);
  Scope s = root.Device(device);
  x = s.Placeholder("x", kFloat, {-1, inputs});
  y = s.Placeholder("y", kFloat, {-1, kClasses});
  w0 = s.GetVariable("w0", {inputs, hidden}, GlorotUniform(7));
  b0 = s.GetVariable("b0", {hidden}, Zeros());
  w1 = s.GetVariable("w1", {hidden, kClasses}, GlorotUniform(8));
  b1 = s.GetVariable("b1", {kClasses}, Zeros());
  Output h = Relu(MatMul(x, w0) + b0);
  out = Softmax(MatMul(h, w1) + b1, "out");
  loss = ReduceMean(-ReduceSum(y * Log(out), {1}));
  train = GradientDescent(0.1).Minimize(loss);
  init = s.GlobalVariablesInitializer();
}

}  // namespace ramet::testing
