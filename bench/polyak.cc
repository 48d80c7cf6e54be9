// Benchmarks of Polyak averaging, as Cloned::PolyakOp builds it from TensorFlow's ops:
// target = tau * original + (1 - tau) * target. Runs it fused into one pass over memory and, in
// deterministic sessions, op by op. tensorflow_polyak.py runs the same ops on TensorFlow.
#include <benchmark/benchmark.h>

#include "measure.h"
#include "ramet/ramet.h"

namespace ramet {
namespace {

constexpr int kVariables = 10;
constexpr double kTau = 0.005;

void Polyak(benchmark::State& state, bool deterministic) {
  Graph graph;
  Scope scope(graph);
  const int64_t each = (state.range(0) << 20) / 4 / kVariables;
  for (int i = 0; i < kVariables; ++i) scope.GetVariable(StrCat("w", i), {each}, Ones());
  const Cloned clone = Clone(graph).value();
  const Operation polyak = clone.PolyakOp(kTau).value();
  MeasureOperation(state, graph, polyak, deterministic);
}
void Fused(benchmark::State& state) { Polyak(state, false); }
void StepByStep(benchmark::State& state) { Polyak(state, true); }

// Does the same computation by hand, on one thread.
void Floor(benchmark::State& state) {
  const size_t n = static_cast<size_t>(state.range(0)) << 18;
  std::vector<float> original(n, 1.0f), target(n, 1.0f);
  const float tau = static_cast<float>(kTau), rest = static_cast<float>(1 - kTau);
  for (auto _ : state) {
    float* to = target.data();
    const float* from = original.data();
    for (size_t i = 0; i < n; ++i) to[i] = tau * from[i] + rest * to[i];
    benchmark::ClobberMemory();
  }
}

void Sizes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"megabytes", "threads"})->UseRealTime()->Unit(benchmark::kMicrosecond);
  for (int megabytes : {1, 10, 100}) {
    for (int threads : {1, 2}) b->Args({megabytes, threads});
  }
}
BENCHMARK(Fused)->Name("ramet/polyak")->Apply(Sizes);
BENCHMARK(StepByStep)->Name("ramet/polyak_step_by_step")->Apply(Sizes);
BENCHMARK(Floor)
    ->Name("floor/polyak")
    ->ArgNames({"megabytes", "threads"})
    ->Args({1, 1})
    ->Args({10, 1})
    ->Args({100, 1})
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace ramet
