#pragma once

#include <map>
#include <string>
#include <vector>

#include "ramet/graph/collections.h"
#include "ramet/graph/export_proto.h"
#include "ramet/graph/variable_def.h"
#include "ramet/proto/meta_graph.pb.h"

namespace ramet {

// The collections of a meta graph on their way into a graph. Nothing is changed before Commit.
class CollectionImport {
 public:
  using ProtoMap = google::protobuf::Map<std::string, CollectionDef>;

  // `graph` is locked by the caller; new variables get the ids after those of `impl`.
  CollectionImport(Graph* graph, const GraphImpl& impl, const NameResolver& resolver,
                   const MetaGraphDef& meta);

  // Resolves all collections but "unbound_inputs".
  // \error kNotFound, kDataLoss, kInvalidArgument naming the collection.
  Status Read();
  // Gives each while context of the file the frame name that its Enters must have; only changes
  // anything under a prefix.
  Status RenameFrames(GraphImpl* impl) const;
  // Adds everything to the graph; returns the new variables.
  std::vector<Variable> Commit(GraphImpl* impl);
  // Collections whose kind is not known here.
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

// Writes the items that lie in the scope and are not excluded; false with a warning if they are of
// different kinds or an object is among them, false if there are none. The graph's lock is held.
bool CollectionToProto(const GraphImpl& impl, const std::string& key,
                       const std::vector<CollectionItem>& items, const GraphWriterOptions& options,
                       CollectionDef* proto);

// Whether a file that this version of TensorFlow wrote states which variables are trainable.
bool StatesTrainable(const std::string& tensorflow_version);

}  // namespace ramet
