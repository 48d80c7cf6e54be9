#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/graph/graph.h"
#include "ramet/runtime/run_options.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// How a session works (the fields of tf.ConfigProto that have a meaning here).
struct SessionOptions {
  // How many devices of a type there are: {{"CPU", 2}}. Default: one CPU and what backends
  // register.
  std::map<std::string, int> device_count = {};
  // Threads within one operation; 0: as many as there are processors.
  int intra_op_parallelism_threads = 0;
  // Steps of a run that may be at work at the same time; 0: as many as there are processors, 1 or
  // less: one. They share the threads that intra_op_parallelism_threads asks for: there are no more
  // of these than the larger of the two says. What a step computes does not depend on either.
  int inter_op_parallelism_threads = 0;
  // Runs on the CPU what asks for a device that is not there or has no kernel for it.
  bool allow_soft_placement = false;
  bool log_device_placement = false;
  // A step gives the same bits from run to run and for any number of threads. See
  // docs/determinism.md.
  bool deterministic = false;
  // The time limit of runs that state none of their own (RunOptions::timeout_in_ms); 0: none.
  int64_t operation_timeout_in_ms = 0;
};

// What can be fed or fetched: a tensor, an operation (fetch only: it is run), or the name of one of
// them ("out:0", "init").
class RAMET_EXPORT GraphElement {
 public:
  GraphElement(Output output) : element_(output) {}           // NOLINT: implicit on purpose
  GraphElement(Operation operation) : element_(operation) {}  // NOLINT
  GraphElement(const Variable& variable) : element_(Output(variable)) {}  // NOLINT
  GraphElement(const char* name) : element_(std::string(name)) {}         // NOLINT
  GraphElement(std::string name) : element_(std::move(name)) {}           // NOLINT
  GraphElement(std::string_view name) : element_(std::string(name)) {}    // NOLINT
  const std::variant<Output, Operation, std::string>& element() const { return element_; }

 private:
  std::variant<Output, Operation, std::string> element_;
};

// One tensor of the graph and the value it has in a run.
struct Feed {
  GraphElement tensor;
  Tensor value;
};
using Feeds = std::vector<Feed>;

// What a run is asked for: one element, or several in braces.
class RAMET_EXPORT Fetches {
 public:
  Fetches(std::initializer_list<GraphElement> elements) : elements_(elements) {}
  Fetches(std::vector<GraphElement> elements) : elements_(std::move(elements)) {}  // NOLINT
  template <class T>
  requires(std::is_convertible_v<T, GraphElement>) Fetches(const T& element)
      : elements_{GraphElement(element)} {}  // NOLINT
  const std::vector<GraphElement>& elements() const { return elements_; }

 private:
  std::vector<GraphElement> elements_;
};

class PartialRun;
class SessionImpl;
class Plan;

// A Callable is a run with its feeds and fetches resolved once (Session::MakeCallable, tf's
// make_callable). Thread-safe; it must not outlive its session. In the steady state Run into a
// given span allocates nothing beyond the tensors' pool.
class RAMET_EXPORT Callable {
 public:
  // Values in the order of the feeds. \error as Session::Run.
  StatusOr<std::vector<Tensor>> Run(std::span<const Tensor> feeds) const;
  StatusOr<std::vector<Tensor>> Run(std::initializer_list<Tensor> feeds) const {
    return Run(std::span<const Tensor>(feeds.begin(), feeds.size()));
  }
  // `fetched` has one element per fetch.
  Status Run(std::span<const Tensor> feeds, std::span<Tensor> fetched) const {
    return Run(feeds, fetched, RunOptions());
  }
  // `metadata` (may be null) gets what the options ask for.
  Status Run(std::span<const Tensor> feeds, std::span<Tensor> fetched, const RunOptions& options,
             RunMetadata* metadata = nullptr) const;

 private:
  friend class Session;
  std::shared_ptr<SessionImpl> session_;
  std::vector<Output> feeds_;
  std::vector<std::variant<Output, Operation>> fetches_;
  mutable std::shared_ptr<Plan> plan_;
};

// A Session runs operations of a graph and owns the values of its variables (tf.Session). Several
// sessions over one graph have variables of their own. The graph must outlive the session and may
// grow meanwhile. Thread-safe: several threads may run it at once.
class RAMET_EXPORT Session {
 public:
  // \error the graph's error, if building it failed; kInvalidArgument if an option makes no sense.
  static StatusOr<Session> Create(Graph& graph, const SessionOptions& options = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  // Runs what `fetches` need, with `feeds` in the place of the tensors they name, and returns one
  // tensor per fetch; an empty Tensor for an operation. Any tensor of the graph can be fed. What is
  // returned is never changed by later runs.
  //
  // \error kInvalidArgument, kNotFound for names and handles that are not in the graph, feeds of
  // the wrong
  //   dtype or shape, placeholders that are needed and not fed; kFailedPrecondition for
  //   uninitialised variables, a closed session, an empty graph;
  //   kUnimplemented for operations that Ramet does not have; what kernels say. Each names the
  //   node.
  StatusOr<std::vector<Tensor>> Run(const Fetches& fetches);
  StatusOr<std::vector<Tensor>> Run(const Feeds& feeds, const Fetches& fetches);
  // As above under limits. A run that is ended leaves variables as assigned so far. `metadata` (may
  // be null) gets what the options ask for.
  //
  // \error kDeadlineExceeded when the run's time was over before its end, kCancelled when it or the
  //   session was ended meanwhile.
  StatusOr<std::vector<Tensor>> Run(const Feeds& feeds, const Fetches& fetches,
                                    const RunOptions& options, RunMetadata* metadata = nullptr);
  // Announces the feeds and fetches of a run in pieces (ramet/runtime/partial_run.h).
  // \error kInvalidArgument if there is no fetch, or a feed is named twice or fetched as well; as
  //   Run for names and handles and for operations that Ramet does not have.
  StatusOr<PartialRun> PartialRunSetup(const std::vector<GraphElement>& feeds,
                                       const std::vector<GraphElement>& fetches);
  // \error as Run for names and handles.
  StatusOr<Callable> MakeCallable(const std::vector<GraphElement>& feeds, const Fetches& fetches);

  // Runs the initializers of those variables (default: the collection "variables") that have no
  // value yet; returns how many. \error as Run.
  StatusOr<int> InitializeMissing();
  // The names of the variables without a value.
  std::vector<std::string> UninitializedVariables() const;

  // The current value, in host memory; empty if the variable is uninitialised. Sharing the buffer:
  // later steps write elsewhere.
  StatusOr<Tensor> Value(const Variable& variable) const;
  // The handle that an operation without inputs makes, such as a lookup table's. It keeps the
  // resource alive and cannot be fed. \error as Run.
  StatusOr<Tensor> ResourceHandle(const Operation& resource) const;
  // \error kInvalidArgument if dtype or shape do not fit.
  Status Assign(const Variable& variable, const Tensor& value);
  // Says that these variables hold restored values: running their initializers warns once.
  void NoteRestored(const std::vector<std::string>& variable_names);

  Graph& graph() const;
  const SessionOptions& options() const;
  // Full names: "/job:localhost/replica:0/task:0/device:CPU:0", ...
  std::vector<std::string> ListDevices() const;
  // No more runs: those at work end with kCancelled after the step they are at. The variables are
  // freed when the last run has ended.
  void Close();

 private:
  friend std::shared_ptr<SessionImpl> ImplOf(const Session& session);
  explicit Session(std::shared_ptr<SessionImpl> impl);
  std::shared_ptr<SessionImpl> impl_;
};

}  // namespace ramet
