#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ramet/graph/graph_impl.h"

namespace ramet {

// Resolves names of a file that was imported under `prefix` to nodes of the graph. `find` maps a
// name in the file to a node, or -1 if there is none.
class NameResolver {
 public:
  NameResolver(Graph* graph, const GraphImpl& impl, std::string prefix,
               std::function<NodeId(std::string_view)> find)
      : graph_(graph), impl_(impl), prefix_(std::move(prefix)), find_(std::move(find)) {}

  // Resolves "n:k", or "n" for "n:0".
  // \error kNotFound: there is no such tensor. TensorFlow's wording.
  StatusOr<Output> FindTensor(std::string_view name) const;
  StatusOr<Operation> FindOperation(std::string_view name) const;
  // Returns the name in the graph of "n", "n:k" or "^n". A name that is not a node's gets the
  // prefix.
  std::string Rename(std::string_view name) const;
  NodeId FindNode(std::string_view name) const { return find_(name); }
  const std::string& prefix() const { return prefix_; }

 private:
  Graph* graph_;
  const GraphImpl& impl_;
  std::string prefix_;
  std::function<NodeId(std::string_view)> find_;
};

// Returns "op:k" without taking the graph's lock.
std::string TensorName(const GraphImpl& impl, const Output& output);
std::string OperationName(const GraphImpl& impl, const Operation& op);

}  // namespace ramet
