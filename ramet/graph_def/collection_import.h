#pragma once

#include <map>
#include <string>
#include <vector>

#include "ramet/graph/collections.h"
#include "ramet/graph_def/name_resolver.h"
#include "ramet/proto/meta_graph.pb.h"

namespace ramet {

// A CollectionImport reads the collections of a meta graph into a graph. Nothing changes before
// Commit.
class CollectionImport {
 public:
  // The caller holds the lock of `graph`. New variables get the ids that follow those of `impl`.
  CollectionImport(Graph* graph, const GraphImpl& impl, const NameResolver& resolver,
                   const MetaGraphDef& meta);

  // Resolves all collections except "unbound_inputs".
  // \error kNotFound: a node or tensor is missing. Names the collection.
  // \error kDataLoss: a message cannot be parsed. Names the collection.
  // \error kInvalidArgument: a message is invalid. Names the collection.
  Status Read();
  // Gives the Enters of each while context in the file the frame name that matches the context's
  // new name. Changes nothing unless there is a prefix.
  Status RenameFrames(GraphImpl* impl) const;
  // Adds everything to the graph and returns the new variables.
  std::vector<Variable> Commit(GraphImpl* impl);
  // Collections of unknown kinds.
  const std::vector<std::string>& unknown() const { return unknown_; }

 private:
  struct Item {
    std::string key;
    CollectionItem item;
  };
  Status ReadCollection(const std::string& key, const CollectionDef& proto);
  Status ReadVariables(const std::string& key, const CollectionDef::BytesList& list);
  Status ReadMessages(const std::string& key, const CollectionDef::BytesList& list);
  Status ReadAnys(const std::string& key, const CollectionDef::AnyList& list);
  Status ReadNodes(const std::string& key, const CollectionDef::NodeList& list);
  StatusOr<Variable> ReadVariable(const std::string& key, const std::string& bytes);
  void Add(const std::string& key, CollectionItem item) {
    items_.push_back({key, std::move(item)});
  }

  Graph* graph_;
  const GraphImpl& impl_;
  const NameResolver& resolver_;
  const MetaGraphDef& meta_;
  bool trainable_is_stated_;
  std::map<std::string, Variable> variables_by_bytes_;
  std::vector<VariableRecord> variables_;
  std::vector<Item> items_;
  std::vector<std::string> unknown_;
};

}  // namespace ramet
