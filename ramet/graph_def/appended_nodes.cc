#include "ramet/graph_def/appended_nodes.h"

namespace ramet {

AppendedNodes::~AppendedNodes() {
  if (kept_) return;
  impl_.nodes.resize(static_cast<size_t>(base_));
  impl_.edges.resize(edges_before_);
  impl_.outputs.resize(outputs_before_);
  impl_.names.resize(names_before_);
}

void AppendedNodes::AddEdges(const std::vector<Endpoint>& edges, size_t nodes, size_t name_bytes) {
  impl_.nodes.reserve(static_cast<size_t>(base_) + nodes);
  impl_.names.emplace_back().reserve(name_bytes);
  impl_.edges.insert(impl_.edges.end(), edges.begin(), edges.end());
}

NodeRecord& AppendedNodes::AddNode(std::string_view name) {
  std::string& block = impl_.names.back();
  const size_t at = block.size();
  block += name;
  NodeRecord& record = impl_.nodes.emplace_back();
  record.name = std::string_view(block).substr(at);
  record.first_output = static_cast<int32_t>(impl_.outputs.size());
  return record;
}

void AppendedNodes::AddOutputs(const std::vector<DType>& types) {
  impl_.nodes.back().num_outputs = static_cast<int32_t>(types.size());
  for (DType t : types) impl_.outputs.push_back({t, Shape::Unknown()});
}

}  // namespace ramet
