// Benchmark of steps that run at the same time: eight independent products, with one thread per
// operation, and one or two operations at a time. It shows from which length on a step is worth
// another thread (kMinStepNanos in ramet/runtime/step_grouping.cc).
#include <benchmark/benchmark.h>

#include "ramet/ramet.h"

namespace ramet {
namespace {

constexpr int kSteps = 8;

void StepGroups(benchmark::State& state) {
  const int64_t size = state.range(0);
  Graph graph;
  Scope scope(graph);
  std::vector<Input> products;
  for (int i = 0; i < kSteps; ++i) {
    const Output x = scope.Placeholder(StrCat("x", i), kFloat, {size, size});
    products.push_back(MatMul(x, x));
  }
  const Output sum = AddN(products);
  Session session =
      Session::Create(graph, {.intra_op_parallelism_threads = 1,
                              .inter_op_parallelism_threads = static_cast<int>(state.range(1))})
          .value();
  std::vector<GraphElement> feeds;
  for (int i = 0; i < kSteps; ++i) feeds.push_back(StrCat("x", i, ":0"));
  const Callable run = session.MakeCallable(feeds, {sum}).value();
  const std::vector<Tensor> values(kSteps, Tensor(kFloat, {size, size}));
  std::vector<Tensor> fetched(1);
  for (auto _ : state) {
    if (Status status = run.Run(values, fetched); !status.ok()) {
      state.SkipWithError(status.ToString().c_str());
      return;
    }
  }
}

BENCHMARK(StepGroups)
    ->Name("ramet/step_groups")
    ->ArgNames({"size", "at_a_time"})
    ->ArgsProduct({{32, 64, 96, 128, 192, 256}, {1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace ramet
