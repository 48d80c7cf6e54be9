#include "ramet/backends/gpu/graph_queue.h"

#include <utility>

#include "ramet/base/log.h"

namespace ramet::gpu {
namespace {

// A longer sequence is cut, so that the device starts before the host has enqueued all of it.
constexpr size_t kMaxElements = 256;

}  // namespace

Status GraphQueue::Launch(DriverFunction& function, const LaunchSize& size,
                          std::span<const KernelArgument> arguments) {
  const auto start = [&] {
    ++launches_;
    return queue_->Launch(function, size, arguments);
  };
  if (!uses_graphs_) return start();
  MutexLock lock(mutex_);
  next_.AddLaunch(function, size, arguments);
  return Add(start);
}

Status GraphQueue::Copy(DriverMemory& to, const DriverMemory& from, size_t bytes) {
  const auto start = [&] { return queue_->Copy(to, from, bytes); };
  if (!uses_graphs_ || bytes == 0) return start();
  MutexLock lock(mutex_);
  next_.AddCopy(to, from, bytes);
  return Add(start);
}

Status GraphQueue::Zero(DriverMemory& memory, size_t bytes) {
  const auto start = [&] { return queue_->Zero(memory, bytes); };
  if (!uses_graphs_ || bytes == 0) return start();
  MutexLock lock(mutex_);
  next_.AddZero(memory, bytes);
  return Add(start);
}

Status GraphQueue::Call(LibraryCall& call, std::span<const int64_t> parameters,
                        std::span<DriverMemory* const> blocks) {
  const auto start = [&] {
    ++launches_;
    return call.Enqueue(*queue_, parameters, blocks);
  };
  if (!uses_graphs_) return start();
  MutexLock lock(mutex_);
  next_.AddCall(call, parameters, blocks);
  return Add(start);
}

// The copy overtakes what is held back, which must not use the block then.
Status GraphQueue::CopyFromHost(DriverMemory& to, std::span<const std::byte> from,
                                std::unique_ptr<DriverEvent>* done) {
  if (Uses(to)) RAMET_RETURN_IF_ERROR(EndSequence());
  return queue_->CopyFromHost(to, from, done);
}

Status GraphQueue::CopyToHost(std::span<std::byte> to, const DriverMemory& from) {
  RAMET_RETURN_IF_ERROR(EndSequence());
  return queue_->CopyToHost(to, from);
}

Status GraphQueue::StartCopyToHost(std::span<std::byte> to, const DriverMemory& from,
                                   std::unique_ptr<DriverEvent>* done) {
  RAMET_RETURN_IF_ERROR(EndSequence());
  return queue_->StartCopyToHost(to, from, done);
}

StatusOr<std::unique_ptr<DriverEvent>> GraphQueue::Record() {
  RAMET_RETURN_IF_ERROR(EndSequence());
  return queue_->Record();
}

Status GraphQueue::WaitFor(DriverEvent& event) {
  RAMET_RETURN_IF_ERROR(EndSequence());
  return queue_->WaitFor(event);
}

Status GraphQueue::Flush() {
  RAMET_RETURN_IF_ERROR(EndSequence());
  return queue_->Flush();
}

Status GraphQueue::Finish() {
  const Status started = EndSequence();
  const Status finished = queue_->Finish();
  return started.ok() ? finished : started;
}

Status GraphQueue::EndSequence() {
  MutexLock lock(mutex_);
  return End();
}

bool GraphQueue::Uses(const DriverMemory& block) {
  MutexLock lock(mutex_);
  const bool is_held = held_ > 0;
  const LaunchSequence& sequence = is_held ? followed_->sequence : started_;
  return sequence.Uses(block, is_held ? held_ : sequence.size());
}

void GraphQueue::ForgetBlocks() {
  MutexLock lock(mutex_);
  const Status started = StartHeld();
  if (!started.ok()) LogError(started.message());
  started_.Clear();
  graphs_.Clear();
}

DeviceWork GraphQueue::work() const {
  return {.launches = launches_,
          .graph_launches = graph_launches_,
          .launches_in_graphs = launches_in_graphs_};
}

template <class Start>
Status GraphQueue::Add(const Start& start) {
  Status status;
  if (!Follow()) {
    status = StartHeld();
    started_.Add(next_, 0);
    if (status.ok()) status = start();
  } else if (held_ == followed_->sequence.size() && !graphs_.HasLonger(*followed_)) {
    status = StartHeld();
  }
  next_.Clear();
  if (!status.ok()) started_.Clear();
  return started_.size() < kMaxElements ? status : End();
}

bool GraphQueue::Follow() {
  if (!started_.empty()) return false;
  CachedGraph* const graph = graphs_.Find(followed_, held_, next_);
  if (graph == nullptr) return false;
  followed_ = graph;
  ++held_;
  return true;
}

Status GraphQueue::StartHeld() {
  const size_t count = std::exchange(held_, 0);
  if (count == 0) return OkStatus();
  const CachedGraph& followed = *std::exchange(followed_, nullptr);
  size_t first = 0;
  std::unique_ptr<CachedGraph> removed;
  if (CachedGraph* const graph = graphs_.Longest(followed, count)) {
    if (queue_->LaunchGraph(*graph->graph).ok()) {
      first = graph->sequence.size();
      graphs_.NoteUse(*graph);
      ++launches_;
      ++graph_launches_;
      launches_in_graphs_ += graph->sequence.launches();
    } else {
      removed = graphs_.Remove(*graph);  // the error is that of the work, or of the graph only
    }
  }
  for (size_t i = first; i < count; ++i) {
    const int64_t launches = started_.launches();
    started_.Add(followed.sequence, i);
    launches_ += started_.launches() - launches;
    RAMET_RETURN_IF_ERROR(followed.sequence.Start(i, *queue_));
  }
  return OkStatus();
}

Status GraphQueue::End() {
  const Status status = StartHeld();
  if (status.ok()) graphs_.Learn(started_, *queue_);
  started_.Clear();
  if (graphs_.is_hopeless()) uses_graphs_ = false;
  return status;
}

}  // namespace ramet::gpu
