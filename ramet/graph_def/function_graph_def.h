#pragma once

#include <string>
#include <vector>

#include "ramet/graph_def/function_node_outputs.h"
#include "ramet/graph_def/function_references.h"
#include "ramet/graph_def/unique_names.h"

namespace ramet {

// The names of a function's arguments and results in its GraphDef.
struct FunctionEnds {
  std::vector<std::string> args;     // Placeholders, one per tensor
  std::vector<std::string> returns;  // tensors
  std::vector<DType> return_types;   // by the signature, like return_names
  std::vector<std::string> return_names;
  std::vector<std::string> controls;  // nodes, sorted
};

// Converts a function to a GraphDef. Arguments become Placeholders, references to arguments and
// nodes become tensor names, and placeholders in attrs are replaced by `attrs`. Borrows everything.
class FunctionGraphDef {
 public:
  FunctionGraphDef(const FunctionDef& def, const AttrMap& attrs, const FunctionLibrary& library,
                   const std::vector<Shape>& arg_shapes)
      : def_(def), attrs_(attrs), arg_shapes_(arg_shapes), node_outputs_(library) {}

  // Errors are those of InstantiateFunction, without the function's name.
  Status Build();
  // Valid after Build.
  const GraphDef& graph() const { return graph_; }
  const FunctionEnds& ends() const { return ends_; }

 private:
  Status AddArgs();
  Status AddArg(size_t position);
  Shape ShapeOfArg(size_t arg, size_t i) const;
  void AddPlaceholder(const std::string& name, DType type, const Shape& shape);
  Status AddNode(const NodeDef& def);
  void KeepKnownGroups(NodeDef* node) const;
  Status Connect(const NodeDef& def, NodeDef* node);
  Status FindReturns();
  Status FindControls();

  const FunctionDef& def_;
  const AttrMap& attrs_;
  const std::vector<Shape>& arg_shapes_;
  OpSchema signature_;
  AttrProtoMap values_;  // attrs_ as messages
  GraphDef graph_;
  FunctionEnds ends_;
  UniqueNames nodes_;  // names of nodes and Placeholders
  FunctionReferences references_;
  FunctionNodeOutputs node_outputs_;
};

}  // namespace ramet
