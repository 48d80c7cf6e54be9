#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "ramet/edit/clone_selection.h"

namespace ramet {

// The changes that CloneDtype causes: new attrs of operations, and edges that get a Cast.
// Everything refers to the source, which does not change. See CloneDtype for the rules.
class CloneDtypes {
 public:
  using Map = CloneDtype::Map;
  // A tensor of the source, cast to a different dtype in the clone.
  struct Cast {
    Endpoint from;
    DType from_dtype;
    DType dtype;
    NodeId reader;  // the first reader, or -1 for a requested output
  };

  CloneDtypes(const CloneSelection& selection, const CloneOptions& options);
  // Evaluates the rules. Holds no lock, since a rule may call the program.
  // \error kInvalidArgument: a rule is invalid. Names `dtype`.
  Status AskRules();
  // The caller holds the lock of the source.
  // \error kInvalidArgument: names `dtype`.
  Status Plan();

  bool none() const { return options_.dtype.none(); }
  // Returns the node's attrs in the clone; the original's if they do not change.
  const std::shared_ptr<const AttrMap>& Attrs(NodeId id) const;
  // Returns the dtype of a tensor in the clone; a reference if the original is one.
  DType TypeOf(Endpoint e) const;
  // For each input the position in casts(), or -1. Null if the node needs no casts.
  const std::vector<int32_t>* CastsOf(NodeId reader) const;
  const std::vector<Cast>& casts() const { return casts_; }
  // Tensors of requested outputs that change their dtype, with the cast back.
  const std::vector<std::pair<Endpoint, int32_t>>& given_back() const { return given_back_; }

 private:
  struct Change {
    std::shared_ptr<const AttrMap> attrs;
    std::vector<DType> outputs;
  };

  Status CheckRule(const Map& rule) const;
  const Map& RuleOf(NodeId id) const;
  void FindInitialValues();
  void FindFlows();
  void FindLoopValues();
  bool Keeps(NodeId id) const;
  std::vector<NodeId> MakersOf(NodeId id) const;
  NodeId MakerOf(Endpoint e) const;
  const Map& EffectiveRule(NodeId id, const std::vector<NodeId>& makers) const;
  StatusOr<std::shared_ptr<const AttrMap>> Changed(NodeId id, const Map& rule) const;
  bool LosesKernel(NodeId id, const AttrMap& changed) const;
  Status KeepStateWithoutKernels();
  Status ChangeNodes();
  Status AddChange(NodeId id, std::shared_ptr<const AttrMap> attrs);
  Status AddCasts();
  Status AddCastsOf(NodeId id);
  int32_t CastTo(Endpoint e, DType have, DType want, NodeId reader);
  void GiveBack();

  const CloneSelection& selection_;
  const CloneOptions& options_;
  const GraphImpl& impl_;
  const Map no_rule_;
  std::vector<Map> asked_;  // by position in selection.nodes(), if the rule is a function
  std::unordered_map<NodeId, size_t> positions_;
  std::vector<uint8_t> initial_, flow_;
  std::unordered_map<NodeId, NodeId>
      follows_;  // parts of loops, with the Merge whose rule they use
  std::unordered_map<NodeId, std::vector<NodeId>> makers_;
  std::unordered_set<NodeId> kept_state_;
  std::unordered_map<NodeId, Change> changes_;
  std::unordered_map<uint64_t, DType> outside_;  // dtypes of replacements of source tensors
  std::vector<Cast> casts_;
  std::map<std::pair<uint64_t, DType>, int32_t> cast_ids_;
  std::unordered_map<NodeId, std::vector<int32_t>> casts_of_;
  std::vector<std::pair<Endpoint, int32_t>> given_back_;
};

}  // namespace ramet
