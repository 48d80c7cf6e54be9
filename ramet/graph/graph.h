#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include "ramet/base/source_location.h"

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/graph/collections.h"
#include "ramet/graph/operation.h"
#include "ramet/graph/variable.h"
#include "ramet/op/op.h"

namespace ramet {

struct GraphImpl;
class BuildState;

// A NodeSpec describes a node to add. Its names and inputs are taken literally; AddOp applies the
// current scopes.
struct NodeSpec {
  std::string op = {};
  std::string name = {};
  std::vector<Output> inputs = {};
  std::vector<Operation> control_inputs = {};
  std::string device = {};
  AttrMap attrs = {};
};

// The versions of a GraphDef (VersionDef).
struct GraphVersions {
  int producer = 2474;
  int min_consumer = 0;
  std::vector<int> bad_consumers;
};

// A Graph is a growing set of operations connected by tensors and control dependencies, together
// with its collections and variables (tf.Graph). Operations have dense ids in creation order and
// are never removed.
//
// Building never fails halfway. The first error of a builder function is kept in status() and is
// returned by Session::Create or Run; outputs made from the failed operation are invalid handles.
//
// Threads: building and importing lock the graph. Sessions take the same lock while they compile,
// so one thread may add to a graph while others run it. Scopes (name, device, ...) belong to the
// graph, so two threads should not open scopes of the same graph at once.
class RAMET_EXPORT Graph {
 public:
  Graph();
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // Returns the first error of building, or OK.
  Status status() const;
  // Returns the first error and clears it, for callers that report errors immediately.
  Status TakeError();
  // Records `status` as the graph's error unless it already has one.
  void RecordError(const Status& status);

  int num_operations() const;
  // In creation order.
  std::vector<Operation> operations() const;
  Operation operation(NodeId id) const { return Operation(this, id); }

  // Looks up "scope/op" or "scope/op:0".
  // \error kNotFound: nothing has this name. TensorFlow's wording, with similar names.
  // \error kInvalidArgument: the name is malformed. TensorFlow's wording.
  StatusOr<Operation> FindOperation(std::string_view name) const;
  StatusOr<Output> Tensor(std::string_view name) const;
  bool HasOperation(std::string_view name) const;

  // Adds a node exactly as specified. Missing attrs are inferred from the inputs or take their
  // defaults. A node whose op is known only from use (see ImportGraphDef) may have any inputs; it
  // gets as many outputs as the largest node of that op.
  // \error kInvalidArgument: the name is illegal or taken, an input's dtype does not match, an attr
  //   is missing or wrong, or shape inference fails. Names the node.
  // \error kNotFound: the op is unknown.
  // \error kFailedPrecondition: the graph is finalized.
  StatusOr<Operation> AddNode(NodeSpec spec);
  // Replaces input `index` of an operation (a loop's back edge, an edit). Shapes are not inferred
  // again.
  // \error kInvalidArgument: the input does not exist, or the dtype does not match.
  Status UpdateInput(Operation op, int index, Output input);
  // Makes `op` wait for `control`. Has no effect if it already does. Always OK.
  Status AddControlInput(Operation op, Operation control);
  // Sets an attr. The value of an attr whose name starts with '_' is not checked.
  // \error kInvalidArgument: the op's definition does not allow the value, or it would change the
  //   node's inputs or outputs.
  Status SetAttr(Operation op, std::string_view name, Attr value);
  // Sets the requested device, which is not checked here. Always OK.
  Status SetDevice(Operation op, std::string_view device);
  // Merges `shape` into the known shape of the output.
  // \error kInvalidArgument: the shapes contradict each other.
  Status SetShape(Output output, const Shape& shape);

  // Returns `name` under the current name scope, made unique in this graph exactly as TensorFlow
  // does ("a", "a_1", ...), ignoring case. If `mark_as_used` is false, the name is not reserved.
  std::string UniqueName(std::string_view name, bool mark_as_used = true);

  // version() increases with every change; plans are cached by it. Appending does not change
  // edit_version().
  int64_t version() const;
  int64_t edit_version() const;
  // Forbids further nodes. Adding one then fails with kFailedPrecondition "Graph is finalized and
  // cannot be modified."
  void Finalize();
  bool finalized() const;

  Collections& collections();
  const Collections& collections() const;
  // The variables of this graph in creation order; a VariableId is a position in it.
  const std::vector<VariableRecord>& variables() const;
  VariableId AddVariable(VariableRecord record);

  // SetSeed sets the graph-level seed (tf.set_random_seed). SeedsForOp returns the two seeds for an
  // op.
  void SetSeed(int64_t seed);
  std::pair<int64_t, int64_t> SeedsForOp(const int64_t* op_seed);

  GraphVersions& versions();
  // Adds the definition of an op that only a file knows (stripped_op_list). The first definition of
  // a name wins.
  void AddForeignOp(OpSchema schema);

  // The scopes that builder functions use.
  BuildState& build_state();

  // The storage, for the layers graph and graph_def. Others read GraphDataOf() (graph_data.h).
  GraphImpl& impl() { return *impl_; }
  const GraphImpl& impl() const { return *impl_; }

 private:
  std::unique_ptr<GraphImpl> impl_;
};

}  // namespace ramet
