#pragma once

#include <concepts>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/device/gpu_options.h"
#include "ramet/graph/graph.h"
#include "ramet/graph/graph_element.h"
#include "ramet/runtime/run_options.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// Configures a Session: the fields of tf.ConfigProto that Ramet supports.
struct SessionOptions {
  // The number of devices of each type, such as {{"CPU", 2}}. By default a session has one CPU, all
  // GPUs that the process may use, and the devices that other backends register. {{"GPU", 0}} uses
  // no GPU and does not search for one.
  std::map<std::string, int> device_count = {};
  // Threads within one operation. 0 means one per processor.
  int intra_op_parallelism_threads = 0;
  // Operations of one run that may execute at the same time. 0 means one per processor; 1 or a
  // negative number means one. They share the threads of intra_op_parallelism_threads: the session
  // uses no more threads than the larger of the two numbers. Results depend on neither.
  int inter_op_parallelism_threads = 0;
  // Runs an operation on the CPU if the requested device does not exist or has no kernel for it.
  bool allow_soft_placement = false;
  bool log_device_placement = false;
  // Makes every operation return the same bits in every run and for any number of threads. See
  // docs/determinism.md.
  bool deterministic = false;
  // The passes that the session leaves out when it compiles a run (docs/passes.md); "all" leaves
  // out every pass. The environment variable RAMET_PASSES may leave out more.
  std::vector<std::string> disabled_passes = {};
  // Which GPUs the process uses, and how much of their memory.
  GpuOptions gpu_options = {};
  // The time limit of runs that do not set RunOptions::timeout_in_ms. 0 means none.
  int64_t operation_timeout_in_ms = 0;
};

// A tensor of the graph and its value in one run.
struct Feed {
  GraphElement tensor;
  Tensor value;
};
using Feeds = std::vector<Feed>;

// Anything that GraphElement can be made from. A call that fetches one element, not in braces,
// returns one Tensor; a call that fetches a list returns a list.
template <class T>
concept SingleFetch = std::convertible_to<const T&, GraphElement>;

// The elements that a run fetches. Fetching an operation runs it; a name without ":0" is that of
// an operation.
class RAMET_EXPORT Fetches {
 public:
  Fetches(std::initializer_list<GraphElement> elements) : elements_(elements) {}
  Fetches(std::vector<GraphElement> elements) : elements_(std::move(elements)) {}  // NOLINT
  template <SingleFetch T>
  Fetches(const T& element) : elements_{GraphElement(element)} {}  // NOLINT
  const std::vector<GraphElement>& elements() const { return elements_; }

 private:
  std::vector<GraphElement> elements_;
};

class PartialRun;
class TensorCallable;
class SessionImpl;
class Executable;

// A Callable is a run whose feeds and fetches have been resolved once (Session::MakeCallable, tf's
// make_callable). Thread-safe. It must not outlive its session. In the steady state, Run into a
// given span allocates nothing outside the tensor pool.
class RAMET_EXPORT Callable {
 public:
  // Runs with `feeds`, in the order in which MakeCallable got them.
  // \error as for Session::Run.
  StatusOr<std::vector<Tensor>> Run(std::span<const Tensor> feeds) const;
  StatusOr<std::vector<Tensor>> Run(std::initializer_list<Tensor> feeds) const {
    return Run(std::span<const Tensor>(feeds.begin(), feeds.size()));
  }
  // `fetched` has one element per fetch.
  Status Run(std::span<const Tensor> feeds, std::span<Tensor> fetched) const {
    return Run(feeds, fetched, RunOptions());
  }
  // Writes what `options` ask for to `metadata`, which may be null.
  Status Run(std::span<const Tensor> feeds, std::span<Tensor> fetched, const RunOptions& options,
             RunMetadata* metadata = nullptr) const;

 private:
  friend class Session;
  std::shared_ptr<SessionImpl> session_;
  std::vector<Output> feeds_;
  std::vector<std::variant<Output, Operation>> fetches_;
  mutable std::shared_ptr<Executable> executable_;
};

// A TensorCallable is a Callable with one fetch, whose tensor Run returns.
class RAMET_EXPORT TensorCallable {
 public:
  // Runs with `feeds`, in the order in which MakeCallable got them. Returns an empty Tensor if the
  // fetch is an operation.
  // \error as for Session::Run.
  StatusOr<Tensor> Run(std::span<const Tensor> feeds) const;
  StatusOr<Tensor> Run(std::initializer_list<Tensor> feeds) const {
    return Run(std::span<const Tensor>(feeds.begin(), feeds.size()));
  }
  // Writes the fetched tensor to `fetched`, and what `options` ask for to `metadata`, which may be
  // null.
  Status Run(std::span<const Tensor> feeds, Tensor* fetched,
             const RunOptions& options = RunOptions(), RunMetadata* metadata = nullptr) const {
    return callable_.Run(feeds, std::span<Tensor>(fetched, 1), options, metadata);
  }

 private:
  friend class Session;
  explicit TensorCallable(Callable callable) : callable_(std::move(callable)) {}
  Callable callable_;
};

// A Session runs operations of a graph and owns the values of its variables (tf.Session). Sessions
// of the same graph have separate variables. The graph must outlive the session and may grow in the
// meantime. Thread-safe: several threads may call Run at once.
class RAMET_EXPORT Session {
 public:
  // Creates a session.
  // \error the error of building the graph, if that failed.
  // \error kInvalidArgument: an option has an invalid value.
  static StatusOr<Session> Create(Graph& graph, const SessionOptions& options = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  // Runs the operations that `fetches` depend on and returns one tensor per fetch; for an
  // operation, an empty Tensor. Run(feeds, y) returns the tensor of y, and Run(feeds, {y, z})
  // returns a list. Values in `feeds` replace the tensors that they name; any tensor of the graph
  // can be fed. Later runs never change the returned tensors. Errors of operations name the node.
  //
  // \error kInvalidArgument: a feed has the wrong dtype or shape, a placeholder is not fed, or a
  //   handle is not from this graph.
  // \error kNotFound: the graph has no element of that name.
  // \error kFailedPrecondition: a variable is uninitialized, the session is closed, the graph is
  //   empty.
  // \error kUnimplemented: Ramet does not implement an operation.
  // \error any error of a kernel.
  StatusOr<std::vector<Tensor>> Run(const Fetches& fetches);
  StatusOr<std::vector<Tensor>> Run(const Feeds& feeds, const Fetches& fetches);
  template <SingleFetch T>
  StatusOr<Tensor> Run(const T& fetch) {
    return RunSingle({}, fetch, RunOptions(), nullptr);
  }
  // Runs under the limits in `options`. A run that ends early leaves the variables as assigned so
  // far. Writes what the options ask for to `metadata`, which may be null.
  //
  // \error kDeadlineExceeded: the run exceeded its time limit.
  // \error kCancelled: the run was cancelled or the session was closed.
  StatusOr<std::vector<Tensor>> Run(const Feeds& feeds, const Fetches& fetches,
                                    const RunOptions& options, RunMetadata* metadata = nullptr);
  template <SingleFetch T>
  StatusOr<Tensor> Run(const Feeds& feeds, const T& fetch, const RunOptions& options = RunOptions(),
                       RunMetadata* metadata = nullptr) {
    return RunSingle(feeds, fetch, options, metadata);
  }
  // Declares the feeds and fetches of a partial run (ramet/runtime/partial_run.h).
  // \error kInvalidArgument: there is no fetch, or a feed is named twice or is also fetched.
  // \error as for Run for names, handles and operations that Ramet does not implement.
  StatusOr<PartialRun> PartialRunSetup(const std::vector<GraphElement>& feeds,
                                       const std::vector<GraphElement>& fetches);
  // Resolves `feeds` and `fetches` for repeated runs.
  // \error as for Run for names and handles.
  StatusOr<Callable> MakeCallable(const std::vector<GraphElement>& feeds, const Fetches& fetches);
  template <SingleFetch T>
  StatusOr<TensorCallable> MakeCallable(const std::vector<GraphElement>& feeds, const T& fetch) {
    RAMET_ASSIGN_OR_RETURN(Callable callable, MakeCallable(feeds, Fetches(fetch)));
    return TensorCallable(std::move(callable));
  }

  // Runs the initializers of the uninitialized variables in the collection "variables". Returns how
  // many it ran.
  // \error as for Run.
  StatusOr<int> InitializeMissing();
  // Returns the names of the uninitialized variables in the collection "variables".
  std::vector<std::string> UninitializedVariables() const;

  // Returns the current value in host memory, or an empty Tensor if the variable is uninitialized.
  // The value shares the variable's buffer where possible; later steps write to a different one.
  // \error kResourceExhausted: a copy is needed and cannot be allocated.
  StatusOr<Tensor> Value(const Variable& variable) const;
  // Returns the handle made by an operation without inputs, such as a lookup table. It keeps the
  // resource alive and cannot be fed.
  // \error as for Run.
  StatusOr<Tensor> ResourceHandle(const Operation& resource) const;
  // Sets the value of a variable.
  // \error kInvalidArgument: the dtype or shape does not match.
  // \error kResourceExhausted: a copy is needed and cannot be allocated.
  Status Assign(const Variable& variable, const Tensor& value);
  // Marks these variables as restored: running their initializers afterwards logs one warning.
  void NoteRestored(const std::vector<std::string>& variable_names);

  Graph& graph() const;
  const SessionOptions& options() const;
  // Returns full names, such as "/job:localhost/replica:0/task:0/device:CPU:0".
  std::vector<std::string> ListDevices() const;
  // Refuses further runs. Active runs end with kCancelled after their current operation. The
  // variables are freed when the last run has ended.
  void Close();

 private:
  friend std::shared_ptr<SessionImpl> ImplOf(const Session& session);
  explicit Session(std::shared_ptr<SessionImpl> impl);
  StatusOr<Tensor> RunSingle(const Feeds& feeds, const GraphElement& fetch,
                             const RunOptions& options, RunMetadata* metadata);
  std::shared_ptr<SessionImpl> impl_;
};

}  // namespace ramet
