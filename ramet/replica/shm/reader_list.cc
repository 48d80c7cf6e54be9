#include "ramet/replica/shm/reader_list.h"

#include <algorithm>
#include <cstddef>

#include "ramet/base/strings.h"
#include "ramet/replica/shm/layout.h"

namespace ramet::shm {

void Reader::NoteRead() {
  if (!connected.has_read) connected.has_read = channel.AllReceived();
}

bool Reader::SendMissing(const std::vector<SharedPool::Segment>& segments) {
  for (size_t& i = segments_sent; i < segments.size(); ++i) {
    const int fd = segments[i].fd;
    const Status sent = channel.Send(StrCat("segment ", i, " ", segments[i].bytes), {&fd, 1});
    if (!sent.ok()) return !IsUnavailable(sent);
  }
  return true;
}

Status ReaderList::Add(Channel channel, const std::string& hello, std::vector<int> fds,
                       const std::vector<SharedPool::Segment>& segments) {
  RAMET_ASSIGN_OR_RETURN(const Peer peer, channel.peer());
  const Connected connected{peer, Clock::now()};
  MutexLock lock(mutex_);
  if (!MakeRoomFor(connected)) {
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
  Reader reader{std::move(channel), PinBlock(std::move(control)), connected, ++last_id_};
  if (!reader.SendMissing(segments)) return Unavailable("the follower left");
  readers_.push_back(std::move(reader));
  return OkStatus();
}

bool ReaderList::MakeRoomFor(const Connected& newcomer) {
  std::vector<Connected> all;
  for (Reader& reader : readers_) {
    reader.NoteRead();
    all.push_back(reader.connected);
  }
  if (!quota_.MayConnect(newcomer, all)) return false;
  if (!quota_.IsFull(all.size())) return true;
  const auto victim = quota_.VictimFor(newcomer, all);
  if (victim) Drop(*victim, newcomer.since);
  return victim.has_value();
}

void ReaderList::Drop(size_t i, Clock::time_point now) {
  dropped_.Add(std::move(readers_[i].pins), now + kPinGrace, kMaxDropped);
  readers_.erase(readers_.begin() + static_cast<ptrdiff_t>(i));
}

bool ReaderList::DropOverdue(Clock::time_point now) {
  MutexLock lock(mutex_);
  for (Reader& reader : readers_) reader.NoteRead();
  std::erase_if(readers_, [now](const Reader& reader) {
    return !reader.connected.has_read && now - reader.connected.since >= kGreetingTime;
  });
  dropped_.RemoveOverdue(now);
  return !dropped_.empty() || std::ranges::any_of(readers_, [](const Reader& reader) {
    return !reader.connected.has_read;
  });
}

bool ReaderList::SendMissingToAll(const std::vector<SharedPool::Segment>& segments) {
  std::erase_if(readers_, [&](Reader& reader) { return !reader.SendMissing(segments); });
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

const Reader* ReaderList::Find(uint64_t id) const {
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

Status ReaderList::Send(uint64_t id, std::string_view text, std::span<const int> fds) const {
  MutexLock lock(mutex_);
  const Reader* reader = Find(id);
  return reader ? reader->channel.Send(text, fds) : Unavailable("the follower left");
}

bool ReaderList::BeginQuestion(uint64_t id) {
  MutexLock lock(mutex_);
  const auto reader = std::ranges::find(readers_, id, &Reader::id);
  if (reader == readers_.end() || reader->questions == kMaxQuestions) return false;
  ++reader->questions;
  return true;
}

void ReaderList::EndQuestion(uint64_t id) {
  MutexLock lock(mutex_);
  const auto reader = std::ranges::find(readers_, id, &Reader::id);
  if (reader != readers_.end()) --reader->questions;
}

bool ReaderList::Holds(uint64_t version) const {
  MutexLock lock(mutex_);
  const auto holds = [version](const Reader& reader) { return reader.pins.Holds(version); };
  return std::ranges::any_of(readers_, holds) || dropped_.Holds(version);
}

uint64_t ReaderList::Oldest() const {
  MutexLock lock(mutex_);
  uint64_t oldest = dropped_.Oldest();
  for (const Reader& reader : readers_) oldest = Older(oldest, reader.pins.Oldest());
  return oldest;
}

}  // namespace ramet::shm
