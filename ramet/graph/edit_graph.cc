#include "ramet/graph/edit_graph.h"

#include "ramet/graph/graph_impl.h"

namespace ramet {

GraphData& MutableGraphDataOf(Graph& graph) { return graph.impl(); }

std::string_view KeepNames(Graph& graph, std::string block) {
  return graph.impl().names.emplace_back(std::move(block));
}

const Op* ForeignOpIn(Graph& graph, OpSchema schema) {
  auto [it, added] = graph.impl().foreign_ops.try_emplace(schema.name);
  if (added) it->second = std::make_unique<Op>(std::move(schema));
  return it->second.get();
}

}  // namespace ramet
