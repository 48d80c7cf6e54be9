// Benchmarks of chains of element-wise ops and of their gradients, fused into passes over memory
// and, in deterministic sessions, op by op.
#include <benchmark/benchmark.h>

#include "measure.h"
#include "ramet/ramet.h"

namespace ramet {
namespace {

// Twelve ops that take as long as reading and writing memory.
Output Cheap(Graph& g, Output x) {
  for (double scale : {0.5, 1.5, 0.75, 1.25}) {
    x = AddOp(g, "Relu", {x * scale + 0.25}).output(0);
  }
  return x;
}

// Expensive functions.
Output Smooth(Graph& g, Output x) {
  for (double scale : {0.5, 1.5, 0.75, 1.25}) {
    const Output square = AddOp(g, "Square", {x}).output(0);
    x = Tanh(x * scale) + Exp(-square);
  }
  return Sigmoid(x);
}

// A layer normalization as graphs spell it out, of rows of 512 elements.
Output Norm(Graph& g, Output x) {
  const Output rows = AddOp(g, "Reshape", {x, Tensor::Vector<int32_t>({-1, 512})}).output(0);
  const auto mean_of = [&](const Output& of) {
    return AddOp(g, "Mean", {of, -1}, {{"keep_dims", true}}).output(0);
  };
  const Output mean = mean_of(rows);
  const Output variance = mean_of(AddOp(g, "SquaredDifference", {rows, mean}).output(0));
  return (rows - mean) * AddOp(g, "Rsqrt", {variance + 1e-6}).output(0);
}

using Chain = Output (*)(Graph&, Output);

void Run(benchmark::State& state, Chain chain, bool gradient, bool deterministic) {
  Graph graph;
  Scope scope(graph);
  const int64_t n = state.range(0) << 20;
  const Variable x = scope.GetVariable("x", {n}, Ones());
  Output y = chain(graph, Output(x));
  if (gradient) y = Gradients({y}, {Output(x)}).value()[0].values;
  MeasureOperation(state, graph, y.op(), deterministic);
}

void Sizes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"million", "threads"})->UseRealTime()->Unit(benchmark::kMicrosecond);
  for (int million : {1, 10}) {
    for (int threads : {1, 2}) b->Args({million, threads});
  }
}

#define RAMET_CHAIN(NAME, CHAIN)                                                         \
  BENCHMARK_CAPTURE(Run, NAME, CHAIN, false, false)->Name("ramet/" #NAME)->Apply(Sizes); \
  BENCHMARK_CAPTURE(Run, NAME##_step_by_step, CHAIN, false, true)                        \
      ->Name("ramet/" #NAME "_step_by_step")                                             \
      ->Apply(Sizes);                                                                    \
  BENCHMARK_CAPTURE(Run, NAME##_gradient, CHAIN, true, false)                            \
      ->Name("ramet/" #NAME "_gradient")                                                 \
      ->Apply(Sizes);                                                                    \
  BENCHMARK_CAPTURE(Run, NAME##_gradient_step_by_step, CHAIN, true, true)                \
      ->Name("ramet/" #NAME "_gradient_step_by_step")                                    \
      ->Apply(Sizes)
RAMET_CHAIN(cheap_chain, Cheap);
RAMET_CHAIN(smooth_chain, Smooth);
RAMET_CHAIN(layer_norm, Norm);

}  // namespace
}  // namespace ramet
