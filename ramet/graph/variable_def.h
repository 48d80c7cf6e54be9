#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ramet/base/status.h"
#include "ramet/graph/export_proto.h"
#include "ramet/graph/graph_impl.h"
#include "ramet/graph/variable.h"
#include "ramet/proto/variable.pb.h"

namespace ramet {

// Finds in a graph what a file, imported under `prefix`, names. `find` gives the node of a name of
// the file, -1 for none.
class NameResolver {
 public:
  NameResolver(Graph* graph, const GraphImpl& impl, std::string prefix,
               std::function<NodeId(std::string_view)> find)
      : graph_(graph), impl_(impl), prefix_(std::move(prefix)), find_(std::move(find)) {}

  // "n:k", or "n" for "n:0". \error kNotFound with TensorFlow's wording.
  StatusOr<Output> FindTensor(std::string_view name) const;
  StatusOr<Operation> FindOperation(std::string_view name) const;
  // The name in the graph of "n", "n:k", "^n"; a name that is no node's is put under the prefix.
  std::string Rename(std::string_view name) const;
  NodeId FindNode(std::string_view name) const { return find_(name); }
  const std::string& prefix() const { return prefix_; }

 private:
  Graph* graph_;
  const GraphImpl& impl_;
  std::string prefix_;
  std::function<NodeId(std::string_view)> find_;
};

// \error kNotFound if the variable, its initializer or its snapshot is not in the graph;
// kInvalidArgument
//   if the slice information contradicts itself.
StatusOr<VariableRecord> VariableFromProto(const VariableDef& proto, const NameResolver& resolver);

// Names are written as they are in the graph, without `scope`. The graph's lock is held.
void VariableToProto(const GraphImpl& impl, const VariableRecord& record, const ExportScope& scope,
                     VariableDef* proto);

// "op:k", without taking the graph's lock.
std::string TensorName(const GraphImpl& impl, const Output& output);
std::string OperationName(const GraphImpl& impl, const Operation& op);

}  // namespace ramet
