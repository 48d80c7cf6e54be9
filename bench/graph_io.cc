// Benchmarks of importing and exporting a large MetaGraphDef. The graph is built in memory with
// layers like those of a trained network that TensorFlow writes (variables with initializers and
// slots, products, names and colocations of gradients, _output_shapes).

#include <benchmark/benchmark.h>
#include <ramet/ramet.h>

#include <string>

namespace ramet {
namespace {

constexpr int kLayers = 2250;

// Adds layers with names, op types and attrs like those of a network trained with
// tf.train.AdamOptimizer.
class LayerGraph {
 public:
  explicit LayerGraph(Graph& graph) : graph_(graph), root_(graph) {
    at_ = root_.Placeholder("x", kFloat, Shape{-1, 16});
    rate_ = Constant(graph_, Tensor(0.1f), "learning_rate");
  }

  void AddLayer(int i) {
    Scope scope = root_.VariableScope(StrCat("layer_", i));
    Variable w = scope.GetVariable("weights", {16, 16});
    Variable b = scope.GetVariable("biases", {16}, Zeros());
    Output product = AddOp(graph_, "MatMul", {at_, w}).output(0);
    Output sum = AddOp(graph_, "BiasAdd", {product, b}).output(0);
    at_ = AddOp(graph_, "Relu", {sum}).output(0);
    Scope gradients = root_.NameScope(StrCat("gradients/layer_", i));
    Output ones = AddOp(graph_, "ZerosLike", {w.value()}).output(0);
    Scope beside = gradients.ColocateWith(w.ref().op());
    Operation update = AddOp(graph_, "ApplyGradientDescent", {w.ref(), rate_, ones});
    Scope after = beside.ControlDependencies({update});
    AddOp(graph_, "NoOp", {}, {}, "done");
  }

 private:
  Graph& graph_;
  Scope root_;
  Output at_, rate_;
};

const std::string& MetaGraph() {
  static const std::string bytes = [] {
    Graph graph;
    LayerGraph layers(graph);
    for (int i = 0; i < kLayers; ++i) layers.AddLayer(i);
    return ExportMetaGraph(graph).value();
  }();
  return bytes;
}

void CountNodes(benchmark::State& state, int nodes) {
  state.counters["nodes"] = nodes;
  state.counters["s/node"] =
      benchmark::Counter(static_cast<double>(nodes) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void ImportMeta(benchmark::State& state) {
  const std::string& bytes = MetaGraph();
  int nodes = 0;
  for (auto _ : state) {
    auto graph = std::make_unique<Graph>();
    if (auto info = ImportMetaGraphBytes(*graph, bytes); !info.ok()) {
      state.SkipWithError(info.status().ToString().c_str());
      break;
    }
    state.PauseTiming();
    nodes = graph->num_operations();
    graph.reset();
    state.ResumeTiming();
  }
  CountNodes(state, nodes);
}
BENCHMARK(ImportMeta)
    ->Name("ramet/import_meta_graph/nodes:45002")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void ExportMeta(benchmark::State& state) {
  Graph graph;
  auto info = ImportMetaGraphBytes(graph, MetaGraph());
  if (!info.ok()) return state.SkipWithError(info.status().ToString().c_str());
  for (auto _ : state) {
    auto bytes = ExportMetaGraph(graph, {.carried = info->carried});
    if (!bytes.ok()) return state.SkipWithError(bytes.status().ToString().c_str());
    benchmark::DoNotOptimize(bytes->data());
  }
  CountNodes(state, graph.num_operations());
}
BENCHMARK(ExportMeta)
    ->Name("ramet/export_meta_graph/nodes:45002")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ramet
