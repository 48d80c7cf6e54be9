#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/graph/graph.h"

namespace ramet {

// A CloneElement is a part of the source graph: a tensor, an operation, a variable, or the name of
// one ("out:0", "train/step").
class RAMET_EXPORT CloneElement {
 public:
  CloneElement(Output tensor) : element_(tensor) {}                // NOLINT: implicit on purpose
  CloneElement(Operation operation) : element_(operation) {}       // NOLINT
  CloneElement(const Variable& variable) : element_(variable) {}   // NOLINT
  CloneElement(const char* name) : element_(std::string(name)) {}  // NOLINT
  CloneElement(std::string name) : element_(std::move(name)) {}    // NOLINT
  CloneElement(std::string_view n) : element_(std::string(n)) {}   // NOLINT
  const std::variant<Output, Operation, Variable, std::string>& element() const { return element_; }

 private:
  std::variant<Output, Operation, Variable, std::string> element_;
};

// Whether a clone gets state of its own or goes on using the original's.
enum class CloneState { kOwn, kShared };

// Whose state is whose: one rule for all, or one for each variable, by the name of its operation.
class RAMET_EXPORT CloneStateRule {
 public:
  CloneStateRule(CloneState state) : fixed_(state) {}  // NOLINT: implicit on purpose
  template <class Fn>
  requires(std::is_invocable_r_v<CloneState, Fn, const std::string&>) CloneStateRule(Fn rule)
      : rule_(std::move(rule)) {}  // NOLINT
  CloneState Of(const std::string& name) const { return rule_ ? rule_(name) : fixed_; }
  bool all_own() const { return !rule_ && fixed_ == CloneState::kOwn; }

 private:
  CloneState fixed_ = CloneState::kOwn;
  std::function<CloneState(const std::string&)> rule_;
};

// Where the operations of a clone go: one device for all; a map from the original's device as it is
// written ("/gpu:0"; what is not in the map stays); or a function of the original operation.
class RAMET_EXPORT CloneDevice {
 public:
  using Map = std::map<std::string, std::string>;
  using Function = std::function<std::string(const Operation&)>;
  CloneDevice() = default;
  CloneDevice(const char* device) : rule_(std::string(device)) {}  // NOLINT: implicit on purpose
  CloneDevice(std::string device) : rule_(std::move(device)) {}    // NOLINT
  CloneDevice(Map devices) : rule_(std::move(devices)) {}          // NOLINT
  template <class Fn>
  requires(std::is_invocable_r_v<std::string, Fn, const Operation&>) CloneDevice(Fn function)
      : rule_(Function(std::move(function))) {}  // NOLINT
  const std::variant<std::monostate, std::string, Map, Function>& rule() const { return rule_; }

 private:
  std::variant<std::monostate, std::string, Map, Function> rule_;
};

// The first values of a clone's own variables and tables. A checkpoint says nothing of tables: they
// are filled by the copies of their initializers.
enum class CloneInitialKind { kInitializer, kCurrent };
// As the original initialises them; the values that the original has when init_op runs. With
// kCurrent, variables and tables that have no value in the original have none in the clone.
inline constexpr CloneInitialKind kInitializer = CloneInitialKind::kInitializer;
inline constexpr CloneInitialKind kCurrent = CloneInitialKind::kCurrent;

// One of these, or a checkpoint's prefix: what it holds under the originals' names.
class RAMET_EXPORT CloneInitial {
 public:
  CloneInitial(CloneInitialKind kind) : initial_(kind) {}                      // NOLINT: implicit
  CloneInitial(const char* checkpoint) : initial_(std::string(checkpoint)) {}  // NOLINT
  CloneInitial(std::string checkpoint) : initial_(std::move(checkpoint)) {}    // NOLINT
  bool is(CloneInitialKind kind) const {
    const auto* k = std::get_if<CloneInitialKind>(&initial_);
    return k != nullptr && *k == kind;
  }
  const std::string* checkpoint() const { return std::get_if<std::string>(&initial_); }

 private:
  std::variant<CloneInitialKind, std::string> initial_;
};

// A placeholder that the clone makes, and reads instead of a tensor of the source.
struct ClonePlaceholder {
  // Under the clone's scope; "": as the operation that it replaces.
  std::string name = {};
  // What is fed; unset: the tensor's. They must be compatible.
  std::optional<Shape> shape = {};
};

// What a clone reads instead of a tensor of the source: a tensor of the target, or a new
// placeholder.
class RAMET_EXPORT CloneReplacement {
 public:
  CloneReplacement(Output tensor) : replacement_(tensor) {}  // NOLINT: implicit
  CloneReplacement(const Variable& variable) : replacement_(Output(variable)) {}  // NOLINT
  CloneReplacement(ClonePlaceholder p) : replacement_(std::move(p)) {}            // NOLINT
  const Output* tensor() const { return std::get_if<Output>(&replacement_); }
  const ClonePlaceholder* placeholder() const {
    return std::get_if<ClonePlaceholder>(&replacement_);
  }

 private:
  std::variant<Output, ClonePlaceholder> replacement_;
};

// Floating dtypes that become others in the clone: what kFloat becomes; a map; or what each
// original operation says (an empty map leaves it).
//
// Attrs of the operations change where the op allows it and there is a kernel, constants are
// rounded, and a Cast stands on every edge between an operation that changed and one that did not.
// So placeholders and what replaces tensors keep their dtypes, and outputs that were asked for are
// given back in theirs (Transformed). Variables of the clone have the new dtype: first values are
// computed as the original computes them, then cast; so are values that come from the original or
// from its checkpoints. What files, queues, tables, functions and the program's own functions hold
// stays; operations on a variable follow the variable, loops and branches their values.
class RAMET_EXPORT CloneDtype {
 public:
  using Map = std::map<DType, DType>;
  using Function = std::function<Map(const Operation&)>;
  CloneDtype() = default;
  CloneDtype(DType dtype) : rule_(Map{{kFloat, dtype}}) {}  // NOLINT: implicit on purpose
  CloneDtype(Map dtypes) : rule_(std::move(dtypes)) {}      // NOLINT
  template <class Fn>
  requires(std::is_invocable_r_v<Map, Fn, const Operation&>) CloneDtype(Fn function)
      : rule_(Function(std::move(function))) {}  // NOLINT
  const std::variant<Map, Function>& rule() const { return rule_; }
  bool none() const {
    const auto* map = std::get_if<Map>(&rule_);
    return map != nullptr && map->empty();
  }

 private:
  std::variant<Map, Function> rule_;
};

// A session, where a clone asks for values and puts them: anything with Session's graph(), Value(),
// ResourceHandle() and MakeCallable(). It must outlive what it is given to.
class RAMET_EXPORT CloneSession {
 public:
  CloneSession() = default;
  template <class S>
  requires requires(S& s, const Variable& v) {
    { s.Value(v) } -> std::same_as<StatusOr<Tensor>>;
  }
  CloneSession(S& session)  // NOLINT: implicit on purpose
      : graph_(&session.graph()),
        value_([&session](const Variable& v) { return session.Value(v); }),
        run_([&session](const std::vector<Output>& feeds, const std::vector<Tensor>& values,
                        const Operation& op) -> Status {
          RAMET_ASSIGN_OR_RETURN(auto step, session.MakeCallable({feeds.begin(), feeds.end()}, op));
          return step.Run(std::span<const Tensor>(values)).status();
        }),
        handle_([&session](const Operation& op) { return session.ResourceHandle(op); }) {}
  bool valid() const { return graph_ != nullptr; }
  Graph* graph() const { return graph_; }
  StatusOr<Tensor> Value(const Variable& variable) const { return value_(variable); }
  Status Run(const std::vector<Output>& feeds, const std::vector<Tensor>& values,
             const Operation& op) const {
    return run_(feeds, values, op);
  }
  // The handle of a table.
  StatusOr<Tensor> ResourceHandle(const Operation& table) const { return handle_(table); }

 private:
  Graph* graph_ = nullptr;
  std::function<StatusOr<Tensor>(const Variable&)> value_;
  std::function<Status(const std::vector<Output>&, const std::vector<Tensor>&, const Operation&)>
      run_;
  std::function<StatusOr<Tensor>(const Operation&)> handle_;
};

// What is cloned, and how. Without outputs, ops and scope it is the whole graph.
struct CloneOptions {
  // The boundary. Tensors among the inputs are not computed in the clone: a placeholder is copied,
  // other tensors become placeholders of the same dtype and shape. With outputs (tensors or
  // operations), all that they need is cloned, up to the inputs.
  std::vector<CloneElement> inputs = {};
  std::vector<CloneElement> outputs = {};
  // Just these operations, or those of a name scope (whose name then gives way to dst_scope:
  // "net/w" becomes "copy/w"); with what initialises the state among them. In the same graph they
  // go on reading what is outside. Not together with outputs.
  std::vector<CloneElement> ops = {};
  std::string scope = {};
  // The graph that gets the clone; null: the source.
  Graph* into = nullptr;
  // The name scope, made unique under the current one; "x/" is taken as it is from the root.
  std::string dst_scope = "copy";
  // Tensors of the source, and what the clone reads instead: {{x, z}, {y, ClonePlaceholder{}}}.
  std::vector<std::pair<CloneElement, CloneReplacement>> input_map = {};
  CloneDevice device = {};
  CloneStateRule variables = CloneState::kOwn;
  // Tables, queues, iterators and whatever else has a shared_name.
  CloneStateRule resources = CloneState::kOwn;
  CloneInitial initial = kInitializer;
  // With kCurrent into another graph: the session of the source that has the values. Clone asks it
  // once for each variable; buffers are shared.
  CloneSession session = {};
  // The same from elsewhere: the value of a variable of the source.
  std::function<StatusOr<Tensor>(const Variable&)> value_of = {};
  // With outputs, ops or a scope: also the slot variables that optimizers keep for the variables.
  bool slots = false;
  // The collections that the clone joins wherever the original is in them; unset: all.
  std::optional<std::vector<std::string>> collections = {};
  // Other dtypes in the clone.
  CloneDtype dtype = {};
  // Leaves out what only training needs. Without outputs: optimizers' updates, members of the
  // collection "update_ops", save and restore nodes, what depends on them, and then, again and
  // again, what nothing else reads (gradients, learning rates) and variables that nothing else uses
  // (slots, step counters); a loss of which only the shape is asked stays. And always, as
  // tf.graph_util.remove_training_nodes does: CheckNumerics, and Identity and StopGradient without
  // control edges, are spliced out; not reads of variables, outputs, leaders of colocation groups,
  // and what is in branches and loops. What such an operation passed on is what Transformed gives.
  // A batch norm that trains is one of inference in the clone if it is certain where its averages
  // are: both moving averages that its batch statistics update are variables of the source.
  bool strip_training = false;
};

// A variable that a clone has for itself.
struct ClonedVariable {
  Output original;  // the reference, or the handle of a resource variable
  Variable copy;
};

// What a checkpoint of the original holds under `name`, and the clone's variables (the parts of a
// partitioned one) that it belongs to: an entry of SaverOptions::var_map.
struct ClonedCheckpointEntry {
  std::string name;
  std::vector<Variable> variables;
  bool is_partitioned = false;
  DType dtype = DType::kInvalid;  // in the checkpoint; the variables may have another one
};

class CloneMapping;

// What Clone made. A handle: cheap to copy; valid as long as both graphs.
class RAMET_EXPORT Cloned {
 public:
  explicit Cloned(std::shared_ptr<CloneMapping> mapping);
  ~Cloned();
  Cloned(const Cloned&);
  Cloned& operator=(const Cloned&);

  // What stands for a part of the source in the clone. Tensors that were replaced give their
  // replacement, shared variables themselves. Invalid if it is not part of the clone.
  Output Transformed(const Output& tensor) const;
  Operation Transformed(const Operation& operation) const;
  Variable Transformed(const Variable& variable) const;
  // A tensor by its name "op:0".
  Output Transformed(std::string_view tensor_name) const;

  Graph& source() const;
  Graph& graph() const;
  // The name scope, "copy", without a slash at the end.
  const std::string& scope() const;
  // The new operations, in the order of their originals.
  std::vector<Operation> operations() const;
  // In the order of the originals.
  const std::vector<ClonedVariable>& variables() const;
  // Gives the clone's own variables and tables their first values, and touches nothing else.
  Operation init_op() const;
  // An operation that assigns the originals' current values to the clone's variables. Made at the
  // first call. \error kInvalidArgument naming `session` if the clone is in another graph.
  StatusOr<Operation> UpdateOp() const;
  // clone <- tau * original + (1 - tau) * clone; variables that are not of a floating type are
  // assigned. Made at each call. \error as UpdateOp; kInvalidArgument if tau is not in [0, 1].
  StatusOr<Operation> PolyakOp(double tau) const;
  // The same for a clone in any graph, at once: from a session of the source to one of the clone's
  // graph, in one run there. Buffers are shared. What runs in `to` is made at the first call (for
  // each tau). \error kInvalidArgument naming the argument that is missing or of another graph;
  //   kFailedPrecondition if a variable of the source has no value; as Session::Run.
  Status Update(const CloneSession& from, const CloneSession& to) const;
  Status Polyak(double tau, const CloneSession& from, const CloneSession& to) const;
  // How the clone's variables are found in checkpoints of the original: SaverOptions::var_map takes
  // the names, with SavedVariable(e.variables...).StoredAs(e.dtype).
  std::vector<ClonedCheckpointEntry> SaverMap() const;

 private:
  std::shared_ptr<CloneMapping> mapping_;
};

// Copies a graph, or a part of it, with state of its own: the variables are registered in every
// collection that the originals are in, with their initializers and slices; colocations, frames,
// branches and loops, names of shared resources follow; functions go along to another graph. The
// result is a part of its graph like any other: it is trained, saved, exported and cloned again.
// Variables of a graph that says nothing of them (a bare GraphDef) are found from the operations
// and join the collection "variables".
//
// Functions that make variables, tables or queues by name in their bodies get copies ("f_copy")
// with names of the clone's own, and so do those that call them; state of the graph that they name
// is part of the clone. Save and restore nodes that are copied know the clone by its names ("w" is
// stored as "copy/w"), so that both can be saved side by side; SaverMap reads what the original
// has saved.
//
// A part of a loop's body whose loop is not cut off (outputs and inputs within the body) is cloned
// without the loop. Gradients can be built on cloned loops.
//
// All or, on an error, nothing is added. Locks both graphs. Linear in the nodes of the source.
// \error kInvalidArgument, kNotFound naming the argument and the tensor or operation: no such
//   element; outputs together with ops or scope; an input inside a loop that is cloned; an input
//   that is a reference; a replacement of another graph, dtype or shape; a tensor from outside
//   (into another graph) that is neither among the inputs nor in input_map; state shared with
//   another graph; a variable without an initializer; kCurrent into another graph without session;
//   a value of another dtype or shape; a dtype rule for or to a dtype that is not floating; an
//   illegal dst_scope or placeholder name; a function of the target that has another body.
//   kFailedPrecondition if the target is finalized.
RAMET_EXPORT StatusOr<Cloned> Clone(Graph& source, const CloneOptions& options = {});

}  // namespace ramet
