#pragma once

#include <utility>
#include <vector>

#include "ramet/graph/build_state.h"
#include "ramet/graph/scope.h"

namespace ramet {

// Hides the open colocation scopes of a graph during its lifetime (colocate_with(None,
// ignore_existing)).
class WithoutColocation {
 public:
  explicit WithoutColocation(Graph& graph) : state_(graph.build_state()) {
    hidden_.swap(state_.colocations);
  }
  ~WithoutColocation() { hidden_.swap(state_.colocations); }
  WithoutColocation(const WithoutColocation&) = delete;
  WithoutColocation& operator=(const WithoutColocation&) = delete;

 private:
  BuildState& state_;
  std::vector<Operation> hidden_;
};

// If `on`, colocates nodes added during its lifetime with `op`.
class ColocationIf {
 public:
  ColocationIf(Graph& graph, bool on, const Operation& op) : state_(graph.build_state()), on_(on) {
    if (on_) state_.colocations.push_back(op);
  }
  ~ColocationIf() {
    if (on_) state_.colocations.pop_back();
  }
  ColocationIf(const ColocationIf&) = delete;
  ColocationIf& operator=(const ColocationIf&) = delete;

 private:
  BuildState& state_;
  bool on_;
};

}  // namespace ramet
