#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/graph/graph.h"
#include "ramet/graph/graph_element.h"

namespace ramet {

// Selects whether a clone has its own state or shares the original's.
enum class CloneState { kOwn, kShared };

// The CloneState of each piece of state: one rule for all, or a function of the name of its
// operation.
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

// The devices of a clone's operations: one device for all; a map from the original's device string
// ("/gpu:0"), where devices that are not in the map stay the same; or a function of the original
// operation.
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

// How a clone's own variables and tables get their first values. Checkpoints do not contain tables,
// so with a checkpoint the copies of their initializers fill them.
enum class CloneInitialKind { kInitializer, kCurrent };
// kInitializer runs the original's initializers. kCurrent copies the values that the original has
// when init_op runs; variables and tables without a value in the original stay uninitialized.
inline constexpr CloneInitialKind kInitializer = CloneInitialKind::kInitializer;
inline constexpr CloneInitialKind kCurrent = CloneInitialKind::kCurrent;

// A CloneInitial is a CloneInitialKind, or the prefix of a checkpoint in which the variables have
// the originals' names.
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

// A new placeholder that the clone reads instead of a tensor of the source.
struct ClonePlaceholder {
  // The name under the clone's scope; "" means the name of the replaced operation.
  std::string name = {};
  // The shape of fed values; the tensor's if unset. The two must be compatible.
  std::optional<Shape> shape = {};
};

// A replacement for a tensor of the source: a tensor of the target, or a new placeholder.
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

// Floating dtypes to change in the clone: the dtype that replaces kFloat, a map, or a function that
// returns a map for each original operation (an empty map leaves it unchanged).
//
// Operations' attrs change if the op allows the new dtype and has a kernel for it, constants are
// rounded, and every edge between a changed and an unchanged operation gets a Cast. Placeholders
// and replacements of tensors keep their dtypes, and requested outputs are converted back to theirs
// (Transformed). Variables of the clone have the new dtype. Their first values are computed as in
// the original and then cast; values that come from the original or its checkpoints are cast, too.
// The contents of files, queues, tables, functions and host functions keep their dtypes. Operations
// on a variable take its dtype, and loops and branches take that of their values.
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

// A CloneSession is where a clone reads values from, or writes them to. It refers to a session (any
// type with Session's graph(), Value(), ResourceHandle() and MakeCallable()), which must outlive
// it. Or it holds a function that returns the value of a variable, and can only be read from.
class RAMET_EXPORT CloneSession {
 public:
  using ValueFunction = std::function<StatusOr<Tensor>(const Variable&)>;
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
  template <class Fn>
  requires(std::is_invocable_r_v<StatusOr<Tensor>, Fn, const Variable&>) CloneSession(Fn value_of)
      : value_(std::move(value_of)) {}  // NOLINT: implicit on purpose

  bool valid() const { return value_ != nullptr; }
  bool is_function() const { return valid() && graph_ == nullptr; }
  // The session's graph; null for a function.
  Graph* graph() const { return graph_; }
  StatusOr<Tensor> Value(const Variable& variable) const { return value_(variable); }
  // Runs `op`. Only for a session.
  Status Run(const std::vector<Output>& feeds, const std::vector<Tensor>& values,
             const Operation& op) const {
    return run_(feeds, values, op);
  }
  // Returns the handle of a table. Only for a session.
  StatusOr<Tensor> ResourceHandle(const Operation& table) const { return handle_(table); }

 private:
  Graph* graph_ = nullptr;
  ValueFunction value_;
  std::function<Status(const std::vector<Output>&, const std::vector<Tensor>&, const Operation&)>
      run_;
  std::function<StatusOr<Tensor>(const Operation&)> handle_;
};

// Options of Clone. Without outputs, ops and scope, the whole graph is cloned.
struct CloneOptions {
  // The boundary. The clone does not compute tensors among the inputs: a placeholder is copied, and
  // other tensors become placeholders of the same dtype and shape. If outputs (tensors or
  // operations) are given, everything that they need up to the inputs is cloned.
  std::vector<GraphElement> inputs = {};
  std::vector<GraphElement> outputs = {};
  // Clones just these operations, or those of a name scope, together with the initializers of their
  // state. The name of the scope is replaced by dst_scope ("net/w" becomes "copy/w"). Within the
  // same graph, the copies read the same outside tensors. Cannot be combined with outputs.
  std::vector<GraphElement> ops = {};
  std::string scope = {};
  // The graph that receives the clone; the source if null.
  Graph* into = nullptr;
  // The name scope, made unique under the current one. "x/" is taken literally from the root.
  std::string dst_scope = "copy";
  // Tensors of the source and their replacements in the clone: {{x, z}, {y, ClonePlaceholder{}}}.
  std::vector<std::pair<GraphElement, CloneReplacement>> input_map = {};
  CloneDevice device = {};
  CloneStateRule variables = CloneState::kOwn;
  // Tables, queues, iterators and everything else that has a shared_name.
  CloneStateRule resources = CloneState::kOwn;
  CloneInitial initial = kInitializer;
  // For kCurrent with a clone in a different graph: the session of the source that has the values,
  // or a function that returns them; it does not know tables, which their initializers fill. Clone
  // reads each variable once; buffers are shared.
  CloneSession session = {};
  // With outputs, ops or a scope, also clones the slot variables of optimizers.
  bool slots = false;
  // The collections that copies join if the original is in them; all if unset.
  std::optional<std::vector<std::string>> collections = {};
  // Dtypes to change in the clone.
  CloneDtype dtype = {};
  // Omits everything that only training needs. Without outputs, this removes optimizers' updates,
  // members of the collection "update_ops", save and restore nodes, everything that depends on
  // these, and then, repeatedly, nodes without remaining readers (gradients, learning rates) and
  // variables without remaining users (slots, step counters). A loss of which only the shape is
  // read stays.
  //
  // In every case, CheckNumerics, and Identity and StopGradient without control edges, are spliced
  // out, as in tf.graph_util.remove_training_nodes. Exceptions are reads of variables, outputs,
  // leaders of colocation groups, and nodes in branches and loops. Transformed returns the spliced
  // operation's input for its output, and an invalid handle if the target graph does not have it.
  //
  // A training batch norm becomes an inference batch norm if its averages can be identified: both
  // moving averages that its batch statistics update must be variables of the source.
  bool strip_training = false;
};

}  // namespace ramet
