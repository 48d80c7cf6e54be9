// Parses arbitrary bytes as a MetaGraphDef and as a GraphDef: imports both forms, then exports the
// result, and turns functions into graphs and back. Nothing may crash, hang or use unbounded
// memory.

#include "ramet/base/log.h"
#include "ramet/graph_def/function.h"
#include "ramet/graph_def/graph_def.h"
#include "ramet/graph_def/import.h"
#include "ramet/graph_def/meta_graph.h"
#include "ramet/op/testing/test_ops.h"

using namespace ramet;

namespace {

void VisitFunctions(Graph& graph) {
  for (const std::string& name : FunctionNames(graph)) {
    (void)FindGradientFunction(graph, {name, nullptr});
    auto body = FindFunction(graph, {name, nullptr});
    if (!body.ok()) continue;
    FunctionSpec spec{.name = UniqueFunctionName(graph, name)};
    spec.args = (*body)->args;
    spec.returns = (*body)->returns;
    spec.controls = (*body)->controls;
    if (!DefineFunction(graph, *(*body)->graph, spec).ok()) continue;
    (void)InstantiateFunction(graph, {spec.name, nullptr});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  SetLogLevel(LogLevel::kOff);
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  {
    Graph graph;
    auto info = ImportMetaGraphBytes(graph, bytes, {.import_scope = "s"});
    if (info.ok()) {
      ExportMetaGraphOptions options;
      options.carried = info->carried;
      options.saver = info->saver;
      options.export_scope = "s";
      options.clear_extraneous_savers = true;
      (void)ExportMetaGraph(graph, options);
      (void)ImportMetaGraphBytes(graph, bytes);
    }
  }
  Graph graph;
  if (ImportGraphDef(graph, bytes, {.name = ""}).ok()) {
    VisitFunctions(graph);
    (void)ExportGraphDef(graph);
  }
  return 0;
}
