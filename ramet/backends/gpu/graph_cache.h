#pragma once

#include <array>
#include <memory>
#include <vector>

#include "ramet/backends/gpu/launch_sequence.h"

namespace ramet::gpu {

// A CachedGraph is a sequence that a queue can start by one call.
struct CachedGraph {
  LaunchSequence sequence;
  std::unique_ptr<DriverGraph> graph;
  uint64_t last_use = 0;
};

// A GraphCache holds the graphs of a queue. It makes a graph of a sequence that comes again.
class GraphCache {
 public:
  // Returns a graph that begins with the first `count` elements of `followed`, and goes on with
  // `element`: `followed` itself, if possible. Returns null if there is none. `followed` may be
  // null if `count` is 0.
  CachedGraph* Find(CachedGraph* followed, size_t count, const LaunchSequence& element) const;
  // Reports whether another graph begins with all elements of this one.
  bool HasLonger(const CachedGraph& graph) const;
  // Returns the longest graph that consists of the first elements of `followed`, of at most `count`
  // of them. Returns null if there is none.
  CachedGraph* Longest(const CachedGraph& followed, size_t count) const;
  // Notes that a graph was launched.
  void NoteUse(CachedGraph& graph) const { graph.last_use = clock_; }

  // Notes a sequence that was started one by one, and makes a graph if it came before. If the
  // driver or a library refuses, the sequence has no graph.
  void Learn(const LaunchSequence& sequence, DriverQueue& queue);
  // Removes a graph and returns it.
  std::unique_ptr<CachedGraph> Remove(CachedGraph& graph);
  void Clear() { graphs_.clear(); }
  // Reports whether the cache is empty and stays so, because too many graphs were refused.
  bool is_hopeless() const { return graphs_.empty() && refusals_ >= kMaxRefusals; }

 private:
  static constexpr int kMaxRefusals = 16;
  // A sequence that was seen, by its hash.
  struct Sight {
    uint64_t hash = 0, last_use = 0;
    int count = 0;
    bool is_refused = false;
  };

  Sight& NoteSight(uint64_t hash);
  bool MakeRoom();
  Status Capture(const LaunchSequence& sequence, DriverQueue& queue);

  std::vector<std::unique_ptr<CachedGraph>> graphs_;
  std::array<Sight, 128> sights_;
  uint64_t clock_ = 0;  // sequences that were learned
  int refusals_ = 0;
};

}  // namespace ramet::gpu
