#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ramet/graph/graph_impl.h"
#include "ramet/graph/inferred_op.h"
#include "ramet/graph_def/op_deprecation.h"
#include "ramet/proto/graph.pb.h"
#include "ramet/proto/op_def.pb.h"

namespace ramet {

// An op type in an import.
struct ImportOp {
  const Op* op = nullptr;
  // nullptr if the op has no definition; then the nodes' uses determine its inputs and outputs.
  const OpSchema* schema = nullptr;
  // The definition that the writer of the file had; may be nullptr.
  const OpDef* producer = nullptr;
  const DeprecatedOp* deprecated = nullptr;  // may be nullptr
};

// The op types of one import: registered ones, those known to the graph, and new ones defined by
// the file's library or the producer's op list. Borrows all of them.
class ImportOps {
 public:
  // The nodes of `def` may be missing.
  ImportOps(const GraphImpl& impl, const GraphDef& def, const OpList& producer_ops);

  // Returns the entry of an op type, always the same one.
  // \error kInvalidArgument: its definition in the file is malformed.
  StatusOr<const ImportOp*> Find(std::string_view name);
  // Moves the new definitions to the graph.
  void MoveTo(GraphImpl* impl);

 private:
  Status Define(std::string_view name, ImportOp* op);
  const OpDef* FindFunction(std::string_view name);
  void AddFunctions(const GraphDef& def);

  const GraphImpl& impl_;
  const GraphDef& def_;
  std::unordered_map<std::string_view, ImportOp> ops_;
  std::unordered_map<std::string_view, const OpDef*> producers_;
  std::unordered_map<std::string_view, const OpDef*> functions_;
  bool functions_read_ = false;
  std::vector<std::unique_ptr<Op>> added_;
};

}  // namespace ramet
