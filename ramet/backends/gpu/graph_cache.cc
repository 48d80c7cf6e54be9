#include "ramet/backends/gpu/graph_cache.h"

#include <algorithm>
#include <utility>

#include "ramet/backends/gpu/launch_order.h"
#include "ramet/base/log.h"

namespace ramet::gpu {
namespace {

constexpr size_t kMaxGraphs = 64;
// A graph of fewer launches costs as much as these.
constexpr int64_t kMinLaunches = 3;
constexpr int kMinSights = 2;  // of a sequence that becomes a graph
// A graph makes room for a new one if it was not used while so many sequences were started one by
// one. So a program with too many sequences keeps the first graphs, and does not make new ones all
// the time.
constexpr uint64_t kMinIdleSequences = 1024;

}  // namespace

CachedGraph* GraphCache::Find(CachedGraph* followed, size_t count,
                              const LaunchSequence& element) const {
  const auto goes_on = [&](const CachedGraph& graph) {
    return count < graph.sequence.size() && graph.sequence.IsAt(count, element);
  };
  if (count > 0 && goes_on(*followed)) return followed;
  for (const auto& graph : graphs_) {
    if (!goes_on(*graph)) continue;
    if (count == 0 || graph->sequence.StartsLike(followed->sequence, count)) return graph.get();
  }
  return nullptr;
}

bool GraphCache::HasLonger(const CachedGraph& graph) const {
  const size_t count = graph.sequence.size();
  return std::ranges::any_of(graphs_, [&](const auto& other) {
    return other->sequence.size() > count && other->sequence.StartsLike(graph.sequence, count);
  });
}

CachedGraph* GraphCache::Longest(const CachedGraph& followed, size_t count) const {
  CachedGraph* longest = nullptr;
  for (const auto& graph : graphs_) {
    const size_t size = graph->sequence.size();
    if (size > count || (longest != nullptr && size <= longest->sequence.size())) continue;
    if (graph->sequence.StartsLike(followed.sequence, size)) longest = graph.get();
  }
  return longest;
}

void GraphCache::Learn(const LaunchSequence& sequence, DriverQueue& queue) {
  if (sequence.launches() < kMinLaunches || refusals_ >= kMaxRefusals) return;
  ++clock_;
  Sight& sight = NoteSight(sequence.Hash());
  if (sight.count < kMinSights || sight.is_refused || !MakeRoom()) return;
  const Status captured = Capture(sequence, queue);
  if (captured.ok()) return;
  sight.is_refused = true;
  ++refusals_;
  LogDebug("no graph of ", sequence.launches(), " launches: ", captured.message());
}

GraphCache::Sight& GraphCache::NoteSight(uint64_t hash) {
  auto sight = std::ranges::find(sights_, hash, &Sight::hash);
  if (sight == sights_.end()) {
    sight = std::ranges::min_element(sights_, {}, &Sight::last_use);
    *sight = {.hash = hash};
  }
  sight->last_use = clock_;
  ++sight->count;
  return *sight;
}

bool GraphCache::MakeRoom() {
  if (graphs_.size() < kMaxGraphs) return true;
  const auto oldest =
      std::ranges::min_element(graphs_, {}, [](const auto& graph) { return graph->last_use; });
  if (clock_ - (*oldest)->last_use < kMinIdleSequences) return false;
  graphs_.erase(oldest);
  return true;
}

Status GraphCache::Capture(const LaunchSequence& sequence, DriverQueue& queue) {
  const auto enqueue = [&](size_t i, DriverQueue& capturing) {
    return sequence.Start(i, capturing);
  };
  RAMET_ASSIGN_OR_RETURN(auto graph, queue.Capture({OrderOf(sequence), enqueue}));
  auto& cached = graphs_.emplace_back(std::make_unique<CachedGraph>());
  cached->sequence = sequence;
  cached->graph = std::move(graph);
  cached->last_use = clock_;
  return OkStatus();
}

std::unique_ptr<CachedGraph> GraphCache::Remove(CachedGraph& graph) {
  const auto found = std::ranges::find(graphs_, &graph, &std::unique_ptr<CachedGraph>::get);
  auto removed = std::move(*found);
  graphs_.erase(found);
  return removed;
}

}  // namespace ramet::gpu
