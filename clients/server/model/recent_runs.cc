#include "model/recent_runs.h"

#include <string>

namespace server {
namespace {

namespace rm = ramet;

size_t BytesOf(const std::vector<rm::Tensor>& feeds) {
  size_t bytes = 0;
  for (const rm::Tensor& feed : feeds) {
    bytes += sizeof(feed) + feed.bytes();
    if (feed.dtype() != rm::DType::kString) continue;
    for (const std::string& text : feed.flat<std::string>()) bytes += sizeof(text) + text.size();
  }
  return bytes;
}

}  // namespace

void RecentRuns::Note(const RunTensors& tensors, const std::vector<rm::Tensor>& feeds) {
  const auto now = Clock::now().time_since_epoch();
  Clock::rep next = next_.load(std::memory_order_relaxed);
  const Clock::rep later = (now + Clock::duration(kInterval)).count();
  if (now.count() < next || !next_.compare_exchange_strong(next, later)) return;
  Kept kept{{}, BytesOf(feeds)};
  if (kept.bytes > kMaxBytes) return;
  for (const rm::Tensor& feed : feeds) {
    auto owned = feed.Owned();
    if (!owned.ok()) return;
    kept.feeds.push_back(*std::move(owned));
  }
  rm::MutexLock lock(mutex_);
  if (runs_.size() >= kMaxPlans && !runs_.contains(tensors)) return;
  auto& runs = runs_[tensors];
  if (runs.size() >= kMaxRunsPerPlan) {
    bytes_ -= runs.front().bytes;
    runs.pop_front();
  }
  if (bytes_ + kept.bytes > kMaxBytes) return;
  bytes_ += kept.bytes;
  runs.push_back(std::move(kept));
}

std::vector<RecentRuns::Run> RecentRuns::Get() const {
  rm::MutexLock lock(mutex_);
  std::vector<Run> all;
  for (const auto& [tensors, runs] : runs_) {
    for (const Kept& kept : runs) all.emplace_back(tensors, kept.feeds);
  }
  return all;
}

}  // namespace server
