#pragma once

#include <string>
#include <vector>

#include "ramet/ramet.h"

namespace ramet::testing {

// Returns the names of the operations of `graph` from id `first` on.
inline std::vector<std::string> Names(const Graph& graph, int first = 0) {
  std::vector<std::string> names;
  for (int i = first; i < graph.num_operations(); ++i) names.push_back(graph.operation(i).name());
  return names;
}

// Returns the names of an operation's inputs ("a:0"), followed by control inputs ("^b").
inline std::vector<std::string> InputNames(const Graph& graph, std::string_view name) {
  auto op = graph.FindOperation(name);
  if (!op.ok()) return {op.status().ToString()};
  std::vector<std::string> names;
  for (const Output& in : op->inputs()) names.push_back(in.name());
  for (const Operation& c : op->control_inputs()) names.push_back("^" + c.name());
  return names;
}

inline std::vector<float> Floats(const Tensor& t) {
  return {t.data<float>(), t.data<float>() + t.num_elements()};
}

}  // namespace ramet::testing
