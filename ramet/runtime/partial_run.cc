#include "ramet/runtime/partial_run.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ramet/base/mutex.h"
#include "ramet/runtime/session_impl.h"

namespace ramet {
namespace {

struct EndpointLess {
  bool operator()(Endpoint a, Endpoint b) const {
    return a.node != b.node ? a.node < b.node : a.index < b.index;
  }
};
using EndpointSet = std::set<Endpoint, EndpointLess>;
using EndpointValues = std::map<Endpoint, Tensor, EndpointLess>;

// Reports whether a node is a constant or only names what others work on (a variable, a handle). It
// has no value to keep, and running it again changes nothing.
bool IsHandle(const GraphData& graph, NodeId id) {
  const NodeRecord& node = graph.nodes[id];
  if (node.op->name() == "Const") return true;
  if (node.num_outputs == 0) return false;
  for (int i = 0; i < node.num_outputs; ++i) {
    const DType type = graph.output({id, i}).dtype;
    if (!IsRef(type) && type != DType::kResource) return false;
  }
  return node.num_inputs == 0 ||
         (node.op->registered() && !node.op->schema().is_stateful &&
          std::ranges::none_of(node.op->schema().inputs, &ArgSchema::is_ref));
}

bool IsPlaceholder(const GraphData& graph, NodeId id) {
  const std::string& type = graph.nodes[id].op->name();
  return type == "Placeholder" || type == "PlaceholderV2";
}

// The work of one call.
struct Piece {
  std::set<NodeId> work;   // nodes to run
  std::set<NodeId> after;  // finished nodes that those wait for
};

}  // namespace

class PartialRunState {
 public:
  PartialRunState(std::shared_ptr<SessionImpl> session, PlanRequest setup,
                  std::vector<NodeId> nodes)
      : session_(std::move(session)), nodes_(std::move(nodes)) {
    feeds_.insert(setup.feeds.begin(), setup.feeds.end());
    unfed_ = feeds_;
    for (Endpoint e : setup.fetches) {
      if (e.index == Endpoint::kControl) {
        targets_.insert(e.node);
      } else {
        fetches_.insert(e);
      }
    }
    unfetched_ = fetches_;
  }

  StatusOr<std::vector<Tensor>> Run(const Feeds& feeds, const std::vector<GraphElement>& fetches) {
    MutexLock lock(mutex_);
    if (ended_) return InvalidArgument("Must run 'setup' before performing partial runs!");
    EndpointValues fed;
    for (const Feed& feed : feeds) RAMET_RETURN_IF_ERROR(AddFeed(feed, &fed));
    std::vector<Endpoint> wanted;
    for (const GraphElement& fetch : fetches) RAMET_RETURN_IF_ERROR(AddFetch(fetch, &wanted));
    for (const auto& [e, value] : fed) {
      known_[e] = value;
      unfed_.erase(e);
    }
    auto results = RunPiece(wanted);
    if (!results.ok() && !ended_) {
      for (const auto& [e, value] : fed) {
        known_.erase(e);
        unfed_.insert(e);
      }
    }
    return results;
  }

  bool ended() {
    MutexLock lock(mutex_);
    return ended_;
  }

 private:
  const GraphData& graph() const { return GraphDataOf(session_->graph()); }
  std::string NameOf(Endpoint e) const { return StrCat(graph().nodes[e.node].name, ":", e.index); }

  Status AddFeed(const Feed& feed, EndpointValues* fed) RAMET_REQUIRES(mutex_) {
    RAMET_ASSIGN_OR_RETURN(Output tensor, session_->resolver().ResolveTensor(feed.tensor));
    const Endpoint e{tensor.op().id(), tensor.index()};
    if (!feeds_.contains(e)) {
      return InvalidArgument("The feed ", tensor.name(),
                             " was not specified in partial_run_setup.");
    }
    if (!unfed_.contains(e) || fed->contains(e)) {
      return InvalidArgument("The feed ", tensor.name(), " has already been fed.");
    }
    RAMET_RETURN_IF_ERROR(CheckFeed(tensor, feed.value));
    (*fed)[e] = feed.value;
    return OkStatus();
  }

  Status AddFetch(const GraphElement& fetch, std::vector<Endpoint>* wanted) RAMET_REQUIRES(mutex_) {
    RAMET_ASSIGN_OR_RETURN(auto resolved, session_->resolver().ResolveFetch(fetch));
    if (auto* op = std::get_if<Operation>(&resolved)) {
      return InvalidArgument(
          "'", op->name(),
          "' is an operation, which runs by itself once its inputs are available; "
          "fetch tensors instead");
    }
    const Output tensor = std::get<Output>(resolved);
    const Endpoint e{tensor.op().id(), tensor.index()};
    if (!fetches_.contains(e)) {
      return InvalidArgument("The fetch ", tensor.name(),
                             " was not specified in partial_run_setup.");
    }
    if (!unfetched_.contains(e)) {
      return InvalidArgument("The fetch ", tensor.name(), " has already been fetched.");
    }
    wanted->push_back(e);
    return OkStatus();
  }

  StatusOr<std::vector<Tensor>> RunPiece(const std::vector<Endpoint>& wanted)
      RAMET_REQUIRES(mutex_) {
    PlanRequest request;
    Piece piece;
    {
      ReaderLock lock(graph().mutex);
      RAMET_RETURN_IF_ERROR(Plan(wanted, &piece, &request));
    }
    RAMET_ASSIGN_OR_RETURN(auto executable, session_->ExecutableFor(request));
    std::vector<Tensor> values, computed(request.fetches.size());
    for (Endpoint e : request.feeds) values.push_back(known_.at(e));
    if (Status status = session_->Run(*executable, values, computed, RunOptions(), nullptr);
        !status.ok()) {
      End();
      return status;
    }
    for (size_t i = 0; i < computed.size(); ++i) {
      const Endpoint e = request.fetches[i];
      if (e.index != Endpoint::kControl) known_[e] = std::move(computed[i]);
    }
    std::vector<Tensor> results;
    for (Endpoint e : wanted) results.push_back(known_.at(e));
    Finish(piece, wanted);
    return results;
  }

  // Plans what to run for the fetches and for the operations that can run now.
  Status Plan(const std::vector<Endpoint>& wanted, Piece* piece, PlanRequest* request) const
      RAMET_REQUIRES(mutex_) {
    EndpointSet outputs;
    for (Endpoint e : wanted) {
      if (known_.contains(e)) continue;
      outputs.insert(e);
      if (auto missing = Collect(e.node, piece)) {
        return InvalidArgument("Fetch ", NameOf(*missing),
                               " can't be computed from the feeds that have been fed so far.");
      }
    }
    for (NodeId target : targets_) {
      Piece more = *piece;
      if (ran_.contains(target) || Collect(target, &more)) continue;
      *piece = std::move(more);
      request->fetches.push_back({target, Endpoint::kControl});
    }
    AddKept(*piece, &outputs);
    request->fetches.insert(request->fetches.end(), outputs.begin(), outputs.end());
    EndpointSet read;
    for (NodeId id : piece->work) {
      for (Endpoint e : graph().inputs(id)) {
        if (known_.contains(e)) read.insert(e);
      }
    }
    request->feeds.assign(read.begin(), read.end());
    request->done.assign(piece->after.begin(), piece->after.end());
    return OkStatus();
  }

  // Adds a node and its dependencies that have not run, or returns an input that has not been fed.
  std::optional<Endpoint> Collect(NodeId root, Piece* piece) const RAMET_REQUIRES(mutex_) {
    std::vector<NodeId> stack = {root};
    piece->work.insert(root);
    auto visit = [&](NodeId id) {
      if (piece->work.insert(id).second) stack.push_back(id);
    };
    while (!stack.empty()) {
      const NodeId id = stack.back();
      stack.pop_back();
      for (Endpoint e : graph().inputs(id)) {
        if (unfed_.contains(e)) return e;
        if (!known_.contains(e)) visit(e.node);
      }
      for (Endpoint e : graph().controls(id)) {
        const Endpoint output{e.node, 0};
        const bool fed = IsPlaceholder(graph(), e.node) && feeds_.contains(output);
        if (fed && unfed_.contains(output)) return output;
        if (fed || ran_.contains(e.node)) {
          piece->after.insert(e.node);
        } else {
          visit(e.node);
        }
      }
    }
    return std::nullopt;
  }

  // Adds the outputs of this call that later calls read.
  void AddKept(const Piece& piece, EndpointSet* outputs) const RAMET_REQUIRES(mutex_) {
    for (Endpoint e : unfetched_) {
      if (piece.work.contains(e.node)) outputs->insert(e);
    }
    for (NodeId id : nodes_) {
      if (ran_.contains(id) || piece.work.contains(id)) continue;
      for (Endpoint e : graph().inputs(id)) {
        if (piece.work.contains(e.node) && !IsHandle(graph(), e.node)) outputs->insert(e);
      }
    }
  }

  void Finish(const Piece& piece, const std::vector<Endpoint>& wanted) RAMET_REQUIRES(mutex_) {
    ReaderLock lock(graph().mutex);
    for (NodeId id : piece.work) {
      if (!IsHandle(graph(), id)) ran_.insert(id);
    }
    for (Endpoint e : wanted) unfetched_.erase(e);
    EndpointSet needed = unfetched_;
    for (NodeId id : nodes_) {
      if (ran_.contains(id)) continue;
      auto inputs = graph().inputs(id);
      needed.insert(inputs.begin(), inputs.end());
    }
    std::erase_if(known_, [&](const auto& entry) { return !needed.contains(entry.first); });
    if (unfed_.empty() && unfetched_.empty()) End();
  }

  void End() RAMET_REQUIRES(mutex_) {
    ended_ = true;
    known_.clear();
  }

  const std::shared_ptr<SessionImpl> session_;
  const std::vector<NodeId> nodes_;  // all nodes that the fetches need
  EndpointSet feeds_, fetches_;
  std::set<NodeId> targets_;
  Mutex mutex_;
  EndpointSet unfed_ RAMET_GUARDED_BY(mutex_), unfetched_ RAMET_GUARDED_BY(mutex_);
  EndpointValues known_ RAMET_GUARDED_BY(mutex_);  // values that nodes yet to run will read
  std::set<NodeId> ran_ RAMET_GUARDED_BY(mutex_);
  bool ended_ RAMET_GUARDED_BY(mutex_) = false;
};

PartialRun::PartialRun(std::unique_ptr<PartialRunState> state) : state_(std::move(state)) {}
PartialRun::PartialRun(PartialRun&&) noexcept = default;
PartialRun& PartialRun::operator=(PartialRun&&) noexcept = default;
PartialRun::~PartialRun() = default;

StatusOr<std::vector<Tensor>> PartialRun::Run(const Feeds& feeds,
                                              const std::vector<GraphElement>& fetches) {
  return state_->Run(feeds, fetches);
}

bool PartialRun::ended() const { return state_->ended(); }

StatusOr<PartialRun> Session::PartialRunSetup(const std::vector<GraphElement>& feeds,
                                              const std::vector<GraphElement>& fetches) {
  if (fetches.empty()) {
    return InvalidArgument("Must specify at least one target to fetch or execute.");
  }
  PlanRequest request;
  EndpointSet fed, fetched;
  for (const GraphElement& element : feeds) {
    RAMET_ASSIGN_OR_RETURN(Output tensor, impl_->resolver().ResolveTensor(element));
    const Endpoint e{tensor.op().id(), tensor.index()};
    if (!fed.insert(e).second) {
      return InvalidArgument("Endpoint \"", tensor.name(), "\" fed more than once.");
    }
    request.feeds.push_back(e);
  }
  for (const GraphElement& element : fetches) {
    RAMET_ASSIGN_OR_RETURN(auto fetch, impl_->resolver().ResolveFetch(element));
    const auto* op = std::get_if<Operation>(&fetch);
    const auto* tensor = std::get_if<Output>(&fetch);
    const Endpoint e =
        op ? Endpoint{op->id(), Endpoint::kControl} : Endpoint{tensor->op().id(), tensor->index()};
    if (fed.contains(e)) return InvalidArgument(tensor->name(), " is both fed and fetched.");
    if (fetched.insert(e).second) request.fetches.push_back(e);
  }
  RAMET_ASSIGN_OR_RETURN(auto executable, impl_->ExecutableFor(request));
  return PartialRun(std::make_unique<PartialRunState>(impl_, std::move(request),
                                                      executable->plan().origin.nodes));
}

}  // namespace ramet
