#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/edit/clone_options.h"
#include "ramet/graph/graph.h"

namespace ramet {

// A variable that a clone does not share with the original.
struct ClonedVariable {
  Output original;  // the reference, or the handle of a resource variable
  Variable copy;
};

// The entry `name` of the original's checkpoints, and the clone's variables (the slices of a
// partitioned one) that it belongs to: an entry of SaverOptions::var_map.
struct ClonedCheckpointEntry {
  std::string name;
  std::vector<Variable> variables;
  bool is_partitioned = false;
  DType dtype = DType::kInvalid;  // in the checkpoint; the variables' may differ
};

class CloneMapping;

// Cloned is the result of Clone. It is a handle: cheap to copy, and valid as long as both graphs.
class RAMET_EXPORT Cloned {
 public:
  explicit Cloned(std::shared_ptr<CloneMapping> mapping);
  ~Cloned();
  Cloned(const Cloned&);
  Cloned& operator=(const Cloned&);

  // Returns the counterpart of a part of the source in the clone. A replaced tensor gives its
  // replacement, a shared variable itself. Invalid if the clone has no counterpart.
  Output Transformed(const Output& tensor) const;
  Operation Transformed(const Operation& operation) const;
  Variable Transformed(const Variable& variable) const;
  // Looks up a tensor by its name "op:0".
  Output Transformed(std::string_view tensor_name) const;

  Graph& source() const;
  Graph& graph() const;
  // The name scope without a trailing slash: "copy".
  const std::string& scope() const;
  // The new operations, in the order of their originals.
  std::vector<Operation> operations() const;
  // In the order of the originals.
  const std::vector<ClonedVariable>& variables() const;
  // The operation that gives the clone's own variables and tables their first values, and changes
  // nothing else.
  Operation init_op() const;
  // Returns an operation that assigns the originals' current values to the clone's variables. Added
  // to the graph on the first call.
  // \error kInvalidArgument: the clone is in a different graph. Names `session`.
  StatusOr<Operation> UpdateOp() const;
  // Returns an operation that computes clone <- tau * original + (1 - tau) * clone. Variables of
  // non-floating types are assigned. Added to the graph on each call. Also returns the errors of
  // UpdateOp.
  // \error kInvalidArgument: tau is not in [0, 1].
  StatusOr<Operation> PolyakOp(double tau) const;
  // Like UpdateOp and PolyakOp, but run immediately, and also for a clone in a different graph.
  // Read from `from`, a session of the source, and write to `to`, a session of the clone's graph,
  // in a single run of `to`. Buffers are shared. The nodes that run in `to` are added on the first
  // call (for each tau). Also return the errors of Session::Run.
  // \error kInvalidArgument: an argument is missing or belongs to a different graph. Names it.
  // \error kFailedPrecondition: a variable of the source has no value.
  Status Update(const CloneSession& from, const CloneSession& to) const;
  Status Polyak(double tau, const CloneSession& from, const CloneSession& to) const;
  // Returns how the clone's variables map to checkpoints of the original. SaverOptions::var_map
  // takes the names, with SavedVariable(e.variables...).StoredAs(e.dtype).
  std::vector<ClonedCheckpointEntry> SaverMap() const;

 private:
  std::shared_ptr<CloneMapping> mapping_;
};

}  // namespace ramet
