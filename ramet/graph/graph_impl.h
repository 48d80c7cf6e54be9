#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "ramet/graph/graph_data.h"

namespace ramet {

class FunctionLibrary;

// The storage of a Graph: its contents and what keeps them up to date. Only the layers graph and
// graph_def use it.
struct GraphImpl : GraphData {
  std::deque<std::string> names;  // the text of the names of nodes
  std::unordered_map<std::string, std::unique_ptr<Op>> foreign_ops;
  // Graphs of function bodies share the library of the graph that they were made for.
  std::shared_ptr<FunctionLibrary> library;
  bool owns_library = true;
  int64_t seed_counter = 0;
  std::optional<int64_t> seed;
};

}  // namespace ramet
