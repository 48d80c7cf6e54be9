#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
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

// What a new node is to be. Names and inputs are taken as they are: see AddOp for the way that
// follows the current scopes.
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

// A Graph is a growing set of operations joined by tensors and control dependencies, with the
// collections and variables that belong to it (tf.Graph). Operations have dense ids in the order of
// their creation; they are never removed.
//
// Building never fails half-way: the first error of a builder function is kept in status() and
// comes out of Session::Create or Run; outputs made from it are invalid handles.
//
// Threads: building and importing lock the graph; sessions take what they need under the same lock
// when they compile, so one thread may add to a graph while others run it. The scopes (name,
// device, ...) belong to the graph, so two threads should not open scopes of one graph at once.
class RAMET_EXPORT Graph {
 public:
  Graph();
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // The first error of building, or OK.
  Status status() const;
  // The same, and the graph is without an error again: for callers that report it at once.
  Status TakeError();
  // Keeps `status` as the graph's error unless there is one already.
  void RecordError(const Status& status);

  int num_operations() const;
  // In the order of creation.
  std::vector<Operation> operations() const;
  Operation operation(NodeId id) const { return Operation(this, id); }

  // Lookup by name: "scope/op", "scope/op:0".
  // \error kNotFound, kInvalidArgument with TensorFlow's wording (graph-semantics: lookup errors),
  // with
  //   near names.
  StatusOr<Operation> FindOperation(std::string_view name) const;
  StatusOr<Output> Tensor(std::string_view name) const;
  bool HasOperation(std::string_view name) const;

  // Adds a node as it is specified. Missing attrs are inferred from the inputs or take their
  // defaults. A node whose op is known only from use (see ImportGraphDef) may have any inputs; it
  // gets as many outputs as the node of that op that has most.
  // \error kInvalidArgument naming the node if the name is illegal or taken, an input's dtype does
  //   not fit, an attr is missing or wrong, or shape inference refuses; kNotFound if the op is not
  //   known; kFailedPrecondition if the graph is finalized.
  StatusOr<Operation> AddNode(NodeSpec spec);
  // Replaces input `index` of an operation (a back edge of a loop, an edit). Shapes are not
  // inferred again. \error kInvalidArgument if the dtype does not fit.
  Status UpdateInput(Operation op, int index, Output input);
  Status AddControlInput(Operation op, Operation control);
  Status SetAttr(Operation op, std::string_view name, Attr value);
  Status SetDevice(Operation op, std::string_view device);
  // Merges `shape` into what is known of the output. \error kInvalidArgument if they contradict.
  Status SetShape(Output output, const Shape& shape);

  // `name` made unique in this graph exactly as TensorFlow does ("a", "a_1", ...),
  // case-insensitively. `mark_as_used`: false only looks. The current name scope is put in front.
  std::string UniqueName(std::string_view name, bool mark_as_used = true);

  // Grows with every change; plans are cached on it. Appending does not change edit_version.
  int64_t version() const;
  int64_t edit_version() const;
  // No more nodes can be added. \error then: kFailedPrecondition "Graph is finalized and cannot be
  // modified."
  void Finalize();
  bool finalized() const;

  Collections& collections();
  const Collections& collections() const;
  // The variables of this graph in the order of creation; ids are positions.
  const std::vector<VariableRecord>& variables() const;
  VariableId AddVariable(VariableRecord record);

  // The graph-level seed (tf.set_random_seed); the two seeds for an op (spec: graph-semantics 7.1).
  void SetSeed(int64_t seed);
  std::pair<int64_t, int64_t> SeedsForOp(const int64_t* op_seed);

  GraphVersions& versions();
  // Definitions of ops that only a file knows (stripped_op_list). The first definition of a name
  // stays.
  void AddForeignOp(OpSchema schema);

  // The scopes that builder functions follow.
  BuildState& build_state();

  // For layers that walk the graph: hold the lock while reading nodes() (see internal headers).
  GraphImpl& impl() { return *impl_; }
  const GraphImpl& impl() const { return *impl_; }

 private:
  std::unique_ptr<GraphImpl> impl_;
};

}  // namespace ramet
