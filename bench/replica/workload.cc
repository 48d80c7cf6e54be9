#include "workload.h"

namespace ramet::replica_bench {

int threads = 0;

namespace {

Tensor Noise(const Shape& shape) {
  Tensor t(kFloat, shape);
  uint32_t state = 1;
  for (float& x : t.mutable_flat<float>()) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<float>(state >> 8) / static_cast<float>(1 << 24) - 0.5f;
  }
  return t;
}

Tensor Labels(int64_t rows) {
  Tensor t(kFloat, {rows, 10});
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    t.mutable_data<float>()[i] = i % 10 == (i / 10) % 10 ? 1.0f : 0.0f;
  }
  return t;
}

void Open(Workload* w, const std::vector<GraphElement>& fed, const Operation& step) {
  w->session.emplace(Session::Create(*w->graph, {.intra_op_parallelism_threads = threads}).value());
  w->session->InitializeMissing().value();
  w->step.emplace(w->session->MakeCallable(fed, {step}).value());
  w->variables = static_cast<int>(w->published.size());
  for (const Variable& v : w->published) w->bytes += v.shape().num_elements() * 4;
}

Operation Train(const Output& logits, const Output& y) {
  return GradientDescent(0.05).Minimize(ReduceMean(-ReduceSum(y * Log(Softmax(logits)), {1})));
}

Workload PerceptronOf(const char* name, int64_t first, int64_t second) {
  Workload w(name);
  Scope s(*w.graph);
  const Output x = s.Placeholder("x", kFloat, {-1, 784}), y = s.Placeholder("y", kFloat, {-1, 10});
  auto dense = [&](const Output& in, const std::string& name, int64_t from, int64_t to) {
    w.published.push_back(s.GetVariable(name + "/w", {from, to}, GlorotUniform(1)));
    w.published.push_back(s.GetVariable(name + "/b", {to}, Zeros()));
    return MatMul(in, w.published.end()[-2]) + w.published.back();
  };
  const Output hidden = Relu(dense(Relu(dense(x, "d0", 784, first)), "d1", first, second));
  const Output logits = dense(hidden, "d2", second, 10);
  w.feeds = {Noise({64, 784}), Labels(64)};
  Open(&w, {x, y}, Train(Identity(logits, "logits"), y));
  return w;
}

}  // namespace

Workload Descent(int64_t bytes, int variables) {
  Workload w(StrCat("descent ", bytes >> 20, " MiB"));
  Scope s(*w.graph);
  const int64_t each = bytes / 4 / variables;
  const Output rate = Constant(*w.graph, Tensor(1e-6f));
  std::vector<Operation> updates;
  for (int i = 0; i < variables; ++i) {
    Variable v = s.GetVariable(StrCat("w", i), {each}, Zeros());
    Variable gradient = s.GetVariable(StrCat("gradient", i), {each}, Ones());
    updates.push_back(AddOp(*w.graph, "ApplyGradientDescent", {v.ref(), rate, Output(gradient)}));
    w.published.push_back(v);
  }
  Open(&w, {}, Group(*w.graph, updates, "step"));
  return w;
}

Workload SparseTable(int64_t bytes) {
  constexpr int64_t kRows = 1000, kWidth = 256;
  Workload w(StrCat("1000 rows of ", bytes >> 20, " MiB"));
  Scope s(*w.graph);
  Variable table = s.GetVariable("table", {bytes / 4 / kWidth, kWidth}, Zeros());
  const Output rows = s.Placeholder("rows", kInt64, {kRows});
  const Output updates = s.Placeholder("updates", kFloat, {kRows, kWidth});
  w.published = {table};
  Tensor indices(kInt64, {kRows});
  for (int64_t i = 0; i < kRows; ++i) {
    indices.mutable_data<int64_t>()[i] = i * 7919 % (bytes / 4 / kWidth);
  }
  w.feeds = {indices, Noise({kRows, kWidth})};
  Open(&w, {rows, updates}, AddOp(*w.graph, "ScatterAdd", {table.ref(), rows, updates}));
  return w;
}

Workload SparseTraining(int64_t bytes) {
  constexpr int64_t kRows = 1000, kWidth = 256, kBatches = 64;
  Workload w(StrCat("training 1000 rows of ", bytes >> 20, " MiB"));
  Scope s(*w.graph);
  Variable table = s.GetVariable("table", {bytes / 4 / kWidth, kWidth}, Ones());
  Variable weights = s.GetVariable("weights", {kWidth}, GlorotUniform(1));
  const Output rows = s.Placeholder("rows", kInt64, {kRows});
  const Output y = s.Placeholder("y", kFloat, {kRows});
  const Output scores = ReduceSum(Gather(table, rows) * weights, {1});
  w.published = {table, weights};
  uint32_t state = 1;
  for (int64_t b = 0; b < kBatches; ++b) {
    Tensor batch(kInt64, {kRows});
    for (int64_t& row : batch.mutable_flat<int64_t>()) {
      state = state * 1664525u + 1013904223u;
      row = static_cast<int64_t>(state >> 4) % (bytes / 4 / kWidth);
    }
    w.batches.push_back(batch);
  }
  w.feeds = {w.batches[0], Noise({kRows})};
  Open(&w, {rows, y}, GradientDescent(0.01).Minimize(ReduceMean(Square(scores - y))));
  return w;
}

Workload Perceptron() { return PerceptronOf("mlp", 256, 256); }
Workload LargePerceptron() { return PerceptronOf("large mlp", 2048, 1536); }

Workload ConvNet() {
  Workload w("cnn");
  Scope s(*w.graph);
  const Output x = s.Placeholder("x", kFloat, {-1, 28, 28, 1}),
               y = s.Placeholder("y", kFloat, {-1, 10});
  auto variable = [&](const std::string& name, const Shape& shape) {
    w.published.push_back(s.GetVariable(name, shape, GlorotUniform(1)));
    return Output(w.published.back());
  };
  auto pooled = [&](const Output& in, const std::string& name, int64_t from, int64_t to) {
    const Output conv = Conv2D(in, variable(name + "/w", {5, 5, from, to}), {1, 1, 1, 1}, "SAME");
    w.published.push_back(s.GetVariable(name + "/b", {to}, Zeros()));
    return MaxPool(Relu(conv + w.published.back()), {1, 2, 2, 1}, {1, 2, 2, 1}, "SAME");
  };
  const Output images = pooled(pooled(x, "c0", 1, 32), "c1", 32, 64);
  const Output flat = Reshape(images, Constant(*w.graph, Tensor::Vector<int32_t>({-1, 3136})));
  const Output hidden = Relu(MatMul(flat, variable("d0", {3136, 256})));
  const Output logits = MatMul(hidden, variable("d1", {256, 10}));
  w.feeds = {Noise({32, 28, 28, 1}), Labels(32)};
  Open(&w, {x, y}, Train(Identity(logits, "logits"), y));
  return w;
}

}  // namespace ramet::replica_bench
