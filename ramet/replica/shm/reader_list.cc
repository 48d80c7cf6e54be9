#include "ramet/replica/shm/reader_list.h"

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "ramet/base/strings.h"

namespace ramet::shm {

namespace {

const ControlBlock& BlockOf(const MemoryFile& control) {
  return *reinterpret_cast<const ControlBlock*>(control.data());
}

bool HasPins(const MemoryFile& control) {
  return std::ranges::any_of(BlockOf(control).pins, [](const std::atomic<uint64_t>& pin) {
    return pin.load(std::memory_order_relaxed) != 0;
  });
}

}  // namespace

Status ReaderList::Add(Channel channel, const std::string& hello, std::vector<int> fds,
                       const std::vector<SharedPool::Segment>& segments) {
  RAMET_ASSIGN_OR_RETURN(const Peer peer, channel.peer());
  const Connected connected{peer, Clock::now()};
  MutexLock lock(mutex_);
  if (!MakePlaceFor(connected)) {
    (void)channel.Send("full");
    return ResourceExhausted("there are already ", readers_.size(), " followers");
  }
  RAMET_ASSIGN_OR_RETURN(
      MemoryFile control,
      MemoryFile::Create("ramet follower", sizeof(ControlBlock), MemoryFile::Access::kAllWrite));
  reinterpret_cast<ControlBlock*>(control.data())->layout = kLayout;
  fds.push_back(control.fd());
  RAMET_RETURN_IF_ERROR(channel.Send(hello, fds));
  control.CloseDescriptor();
  Reader reader{std::move(channel), std::move(control), connected, ++last_id_};
  if (!SendMissing(reader, segments)) return Unavailable("the follower left");
  readers_.push_back(std::move(reader));
  return OkStatus();
}

void ReaderList::NoteRead() {
  for (Reader& reader : readers_) {
    if (!reader.connected.has_read) reader.connected.has_read = reader.channel.AllReceived();
  }
}

bool ReaderList::MakePlaceFor(const Connected& newcomer) {
  NoteRead();
  std::vector<Connected> all;
  for (const Reader& reader : readers_) all.push_back(reader.connected);
  if (!quota_.MayConnect(newcomer, all)) return false;
  if (!quota_.IsFull(all.size())) return true;
  const auto victim = quota_.VictimFor(newcomer, all);
  if (victim) Drop(*victim, newcomer.since);
  return victim.has_value();
}

void ReaderList::Drop(size_t i, Clock::time_point now) {
  if (HasPins(readers_[i].control)) {
    if (dropped_.size() == kMaxDropped) dropped_.erase(dropped_.begin());
    dropped_.push_back({std::move(readers_[i].control), now + kPinGrace});
  }
  readers_.erase(readers_.begin() + static_cast<ptrdiff_t>(i));
}

bool ReaderList::DropOverdue(Clock::time_point now) {
  MutexLock lock(mutex_);
  NoteRead();
  std::erase_if(readers_, [now](const Reader& reader) {
    return !reader.connected.has_read && now - reader.connected.since >= kGreetingTime;
  });
  std::erase_if(dropped_, [now](const Dropped& dropped) {
    return now >= dropped.until || !HasPins(dropped.control);
  });
  return !dropped_.empty() || std::ranges::any_of(readers_, [](const Reader& reader) {
    return !reader.connected.has_read;
  });
}

// Returns false if the follower is gone. If sending fails for another reason (its socket is full,
// or too many descriptors are in flight), it gets the segments later. Its pins count until it is
// gone.
bool ReaderList::SendMissing(Reader& reader, const std::vector<SharedPool::Segment>& segments) {
  for (size_t& i = reader.segments_sent; i < segments.size(); ++i) {
    const int fd = segments[i].fd;
    const std::string text = StrCat("segment ", i, " ", segments[i].bytes);
    const Status sent = reader.channel.Send(text, {&fd, 1});
    if (!sent.ok()) return !IsUnavailable(sent);
  }
  return true;
}

bool ReaderList::SendMissingToAll(const std::vector<SharedPool::Segment>& segments) {
  std::erase_if(readers_, [&](Reader& reader) { return !SendMissing(reader, segments); });
  return AllKnow(segments.size());
}

bool ReaderList::SendSegments(const std::vector<SharedPool::Segment>& segments) {
  MutexLock lock(mutex_);
  return SendMissingToAll(segments);
}

bool ReaderList::SendSegmentsOf(const SharedPool& pool) {
  MutexLock lock(mutex_);
  return AllKnow(pool.num_segments()) || SendMissingToAll(pool.Segments());
}

bool ReaderList::AllKnow(size_t num_segments) const {
  return std::ranges::all_of(
      readers_, [&](const Reader& reader) { return reader.segments_sent == num_segments; });
}

size_t ReaderList::size() const {
  MutexLock lock(mutex_);
  return readers_.size();
}

std::vector<int> ReaderList::fds() const {
  MutexLock lock(mutex_);
  std::vector<int> fds;
  for (const Reader& reader : readers_) fds.push_back(reader.channel.fd());
  return fds;
}

uint64_t ReaderList::IdOf(int fd) const {
  MutexLock lock(mutex_);
  const auto reader =
      std::ranges::find_if(readers_, [fd](const Reader& r) { return r.channel.fd() == fd; });
  return reader == readers_.end() ? 0 : reader->id;
}

void ReaderList::Remove(uint64_t id) {
  MutexLock lock(mutex_);
  std::erase_if(readers_, [id](const Reader& reader) { return reader.id == id; });
}

const ReaderList::Reader* ReaderList::Find(uint64_t id) const {
  const auto reader = std::ranges::find(readers_, id, &Reader::id);
  return reader == readers_.end() ? nullptr : &*reader;
}

StatusOr<Packet> ReaderList::Receive(uint64_t id) const {
  MutexLock lock(mutex_);
  const Reader* reader = Find(id);
  return reader ? reader->channel.Receive(0) : Unavailable("the follower left");
}

StatusOr<Peer> ReaderList::peer(uint64_t id) const {
  MutexLock lock(mutex_);
  const Reader* reader = Find(id);
  return reader ? reader->channel.peer() : Unavailable("the follower left");
}

Status ReaderList::Send(uint64_t id, std::string_view text) const {
  MutexLock lock(mutex_);
  const Reader* reader = Find(id);
  return reader ? reader->channel.Send(text) : Unavailable("the follower left");
}

bool ReaderList::BeginQuestion(uint64_t id) {
  MutexLock lock(mutex_);
  Reader* reader = Find(id);
  if (reader == nullptr || reader->questions == kMaxQuestions) return false;
  ++reader->questions;
  return true;
}

void ReaderList::EndQuestion(uint64_t id) {
  MutexLock lock(mutex_);
  if (Reader* reader = Find(id)) --reader->questions;
}

template <class Fn>
void ReaderList::ForEachPin(Fn fn) const {
  for (const Reader& reader : readers_) {
    for (const auto& pin : BlockOf(reader.control).pins) fn(pin);
  }
  for (const Dropped& dropped : dropped_) {
    for (const auto& pin : BlockOf(dropped.control).pins) fn(pin);
  }
}

bool ReaderList::Holds(uint64_t version) const {
  MutexLock lock(mutex_);
  bool holds = false;
  ForEachPin([&](const std::atomic<uint64_t>& pin) {
    holds = holds || pin.load(std::memory_order_seq_cst) == version;
  });
  return holds;
}

uint64_t ReaderList::Oldest() const {
  MutexLock lock(mutex_);
  uint64_t oldest = 0;
  ForEachPin([&](const std::atomic<uint64_t>& pin) {
    const uint64_t version = pin.load(std::memory_order_relaxed);
    if (version != 0 && (oldest == 0 || version < oldest)) oldest = version;
  });
  return oldest;
}

}  // namespace ramet::shm
