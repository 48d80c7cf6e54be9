#pragma once

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ramet/edit/clone/selection.h"

namespace ramet {

class DtypeChanges;
class HandleMakers;

// A CastPlan lists the Casts of a clone: one for all edges that need a tensor in a different dtype.
// It refers to the source.
class CastPlan {
 public:
  // A tensor of the source, cast to a different dtype in the clone.
  struct Cast {
    Endpoint from;
    DType from_dtype;
    DType dtype;
    NodeId reader;  // the first reader, or -1 for a requested output
  };

  explicit CastPlan(const CloneSelection& selection)
      : selection_(selection), impl_(selection.impl()) {}
  // The caller holds the lock of the source.
  // \error kInvalidArgument: an operation takes references of different dtypes. Names `dtype`.
  Status Plan(const DtypeChanges& changes, const HandleMakers& makers);

  const std::vector<Cast>& casts() const { return casts_; }
  // For each input of a node, the position in casts(), or -1. Null if the node needs no casts.
  const std::vector<int32_t>* CastsOf(NodeId reader) const;
  // Returns the position in casts() of the cast of a tensor; -1 if there is none.
  int32_t Find(Endpoint from, DType dtype) const;
  // Tensors of requested outputs that change their dtype, with the cast back.
  const std::vector<std::pair<Endpoint, int32_t>>& output_casts() const { return output_casts_; }

 private:
  Status AddInputCasts(NodeId id, const DtypeChanges& changes, bool takes_handles);
  void AddOutputCasts(const DtypeChanges& changes);
  int32_t Add(const Cast& cast);

  const CloneSelection& selection_;
  const GraphData& impl_;
  std::vector<Cast> casts_;
  std::map<std::pair<uint64_t, DType>, int32_t> ids_;  // positions in casts_
  std::unordered_map<NodeId, std::vector<int32_t>> casts_of_;
  std::vector<std::pair<Endpoint, int32_t>> output_casts_;
};

}  // namespace ramet
