#pragma once

#include <ramet/ramet.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace server {

using Signatures = std::map<std::string, ramet::Signature>;

// The limits of one run.
struct RunLimits {
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::shared_ptr<ramet::CancellationToken> cancellation = nullptr;  // null: cannot be cancelled
};

// The version that computed an answer, which answers carry in a header or trailer, and its run.
struct AnsweredBy {
  int64_t version = 0;
  std::optional<int64_t> step = {};  // of the trainer, if the version has one
  ramet::VersionProof proof = ramet::VersionProof::kNotAsked;
  std::chrono::nanoseconds run_time{0};  // of the graph, which may have run for a whole batch
};

struct RunResult {
  std::vector<ramet::Tensor> outputs = {};  // one per fetch
  AnsweredBy answered_by = {};
};
using RunDone = std::function<void(ramet::StatusOr<RunResult>)>;

// The tensors of a run by their names in the graph ("x:0"). Equal lists of names share one plan.
struct RunTensors {
  std::vector<std::string> feeds = {};
  std::vector<std::string> fetches = {};
  auto operator<=>(const RunTensors&) const = default;
};

// A ModelVersion is one version of a model in memory: a loaded folder or file, or a publisher's
// values of the moment. A request holds it by a shared pointer, so a version that is unloaded
// answers the requests that it has. Thread-safe.
class ModelVersion {
 public:
  virtual ~ModelVersion() = default;
  virtual const std::string& model() const = 0;
  virtual int64_t number() const = 0;
  // By key. Includes those that classify and regress; excludes "__saved_model_init_op".
  virtual std::shared_ptr<const Signatures> signatures() const = 0;
  // Calls `use` with the graph, which exists during the call. Does nothing for a version without a
  // graph.
  virtual void UseGraph(const std::function<void(const ramet::Graph&)>& /*use*/) const {}
  // Runs the graph, alone or in a batch with other requests, and passes the result to `done`, in
  // this thread or a different one. `feeds` has one tensor per name in `tensors.feeds`.
  // \error kDeadlineExceeded: the deadline passed before the run or during it.
  // \error kResourceExhausted: the deadline passed while the request waited for its batch.
  // \error kUnavailable: the queue of the batcher is full.
  // \error as for ramet::Callable::Run.
  virtual void Run(const RunTensors& tensors, std::vector<ramet::Tensor> feeds,
                   const RunLimits& limits, RunDone done) = 0;
};

}  // namespace server
