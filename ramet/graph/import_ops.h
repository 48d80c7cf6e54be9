#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ramet/graph/graph_impl.h"
#include "ramet/graph/op_deprecation.h"
#include "ramet/proto/graph.pb.h"
#include "ramet/proto/op_def.pb.h"

namespace ramet {

// What an import knows of one op type.
struct ImportOp {
  const Op* op = nullptr;
  // nullptr when nothing defines the op: a node's inputs and outputs are then those that are used.
  const OpSchema* schema = nullptr;
  // The definition that the writer of the file had; may be nullptr.
  const OpDef* producer = nullptr;
  const DeprecatedOp* deprecated = nullptr;  // may be nullptr
};

// The doc text of the schema of an op that nothing defines.
inline constexpr char kInferredOpDoc[] = "(inferred from use)";
inline bool IsInferred(const Op& op) {
  return !op.registered() && op.schema().doc == kInferredOpDoc;
}

// The op types of one import: those registered, those the graph knows, and new ones defined by the
// file's library or the producer's op list. Borrows all of them.
class ImportOps {
 public:
  // `def` may lack its nodes.
  ImportOps(const GraphImpl& impl, const GraphDef& def, const OpList& producer_ops);

  // The entry of an op type; the same one each time.
  // \error kInvalidArgument if its definition in the file is malformed.
  StatusOr<const ImportOp*> Find(std::string_view name);
  // Hands the new definitions to the graph.
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

// The dtypes of the outputs of a node whose op nothing defines, as far as its attrs tell.
std::vector<DType> GuessOutputTypes(const AttrMap& attrs, int num_outputs);

}  // namespace ramet
