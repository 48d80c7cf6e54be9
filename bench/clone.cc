// Benchmarks of cloning whole graphs and parts of graphs, from 10^3 to 10^6 nodes.

#include <benchmark/benchmark.h>
#include <ramet/ramet.h>

#include <unistd.h>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>

namespace ramet {
namespace {

// Builds a chain of layers with variables, initializers, products and colocated reads. The last
// output depends on every node.
std::unique_ptr<Graph> MakeGraph(int64_t nodes) {
  auto graph = std::make_unique<Graph>();
  Scope root(*graph);
  Output at = root.Placeholder("x", kFloat, {-1, 16});
  const Output filler = Constant(*graph, Tensor(1.0f));
  for (int i = 0; graph->num_operations() + 40 < nodes; ++i) {
    Scope scope = root.VariableScope(StrCat("layer_", i));
    Variable w = scope.GetVariable("weights", {16, 16});
    Variable b = scope.GetVariable("biases", {16}, Zeros());
    const Output product = AddOp(*graph, "MatMul", {at, w}).output(0);
    at = AddOp(*graph, "BiasAdd", {product, b}).output(0);
    for (int k = 0; k < 20; ++k) at = AddOp(*graph, "Mul", {at, filler}).output(0);
  }
  while (graph->num_operations() + 1 < nodes) AddOp(*graph, "Relu", {at});
  AddOp(*graph, "Identity", {at}, {}, "out");
  return graph;
}

// Returns a serialized graph with that many nodes, built once. Also writes it to RAMET_BENCH_DIR,
// if set, for tensorflow_clone.py.
const std::string& MetaGraph(int64_t nodes) {
  static std::map<int64_t, std::string> made;
  std::string& bytes = made[nodes];
  if (!bytes.empty()) return bytes;
  bytes = ExportMetaGraph(*MakeGraph(nodes)).value();
  if (const char* folder = std::getenv("RAMET_BENCH_DIR")) {
    std::ofstream(StrCat(folder, "/clone_", nodes, ".meta"), std::ios::binary) << bytes;
  }
  return bytes;
}

int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t pages = 0, resident = 0;
  statm >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

void CountNodes(benchmark::State& state) {
  state.counters["s/node"] = benchmark::Counter(
      static_cast<double>(state.range(0)) * static_cast<double>(state.iterations()),
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void CloneGraph(benchmark::State& state) {
  int64_t grown = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto graph = std::make_unique<Graph>();
    if (!ImportMetaGraphBytes(*graph, MetaGraph(state.range(0))).ok()) std::abort();
    const int64_t before = ResidentBytes();
    state.ResumeTiming();
    auto clone = Clone(*graph);
    state.PauseTiming();
    if (!clone.ok()) state.SkipWithError(clone.status().ToString().c_str());
    grown = ResidentBytes() - before;
    graph.reset();
    state.ResumeTiming();
  }
  CountNodes(state);
  state.counters["bytes/node"] = static_cast<double>(grown) / static_cast<double>(state.range(0));
}
BENCHMARK(CloneGraph)
    ->Name("ramet/clone")
    ->RangeMultiplier(10)
    ->Range(1000, 1'000'000)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// Clones a graph that has just been built rather than imported: no two nodes share their attrs.
void CloneBuiltGraph(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    auto graph = MakeGraph(state.range(0));
    state.ResumeTiming();
    if (!Clone(*graph).ok()) std::abort();
    state.PauseTiming();
    graph.reset();
    state.ResumeTiming();
  }
  CountNodes(state);
}
BENCHMARK(CloneBuiltGraph)
    ->Name("ramet/clone_built")
    ->RangeMultiplier(10)
    ->Range(1000, 1'000'000)
    ->UseRealTime()
    ->Iterations(2)
    ->Unit(benchmark::kMillisecond);

// Clones the last ten nodes: all nodes are examined, few are copied.
void CloneBoundary(benchmark::State& state) {
  auto graph = MakeGraph(state.range(0));
  const Output out = graph->Tensor("out:0").value();
  Output in = out;
  for (int i = 0; i < 10; ++i) in = in.op().input(0);
  for (auto _ : state) {
    if (!Clone(*graph, {.inputs = {in}, .outputs = {out}}).ok()) std::abort();
  }
}
BENCHMARK(CloneBoundary)
    ->Name("ramet/clone_boundary")
    ->Arg(1'000'000)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ramet
