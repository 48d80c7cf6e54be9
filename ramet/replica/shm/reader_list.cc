#include "ramet/replica/shm/reader_list.h"

#include <algorithm>

#include "ramet/base/strings.h"

namespace ramet::shm {

Status ReaderList::Add(Channel channel, const std::string& hello, std::vector<int> fds,
                       const std::vector<SharedPool::Segment>& segments) {
  if (readers_.size() >= kMost) {
    (void)channel.Send("full");
    return ResourceExhausted("there are ", kMost, " followers already");
  }
  RAMET_ASSIGN_OR_RETURN(
      MemoryFile control,
      MemoryFile::Create("ramet follower", sizeof(ControlBlock), MemoryFile::Access::kAllWrite));
  reinterpret_cast<ControlBlock*>(control.data())->layout = kLayout;
  fds.push_back(control.fd());
  RAMET_RETURN_IF_ERROR(channel.Send(hello, fds));
  Reader reader{std::move(channel), std::move(control), ++last_id_};
  if (!SendMissing(reader, segments)) return Unavailable("the follower left");
  readers_.push_back(std::move(reader));
  return OkStatus();
}

// False if the follower is gone. One that cannot be sent them now (its socket is full, or too many
// descriptors are under way) gets them later: its pins count until it is gone.
bool ReaderList::SendMissing(Reader& reader, const std::vector<SharedPool::Segment>& segments) {
  for (size_t& i = reader.segments_sent; i < segments.size(); ++i) {
    const int fd = segments[i].fd;
    const std::string text = StrCat("segment ", i, " ", segments[i].bytes);
    const Status sent = reader.channel.Send(text, {&fd, 1});
    if (!sent.ok()) return !IsUnavailable(sent);
  }
  return true;
}

bool ReaderList::SendSegments(const std::vector<SharedPool::Segment>& segments) {
  std::erase_if(readers_, [&](Reader& reader) { return !SendMissing(reader, segments); });
  return KnowAll(segments.size());
}

bool ReaderList::KnowAll(size_t num_segments) const {
  return std::ranges::all_of(
      readers_, [&](const Reader& reader) { return reader.segments_sent == num_segments; });
}

uint64_t ReaderList::IdOf(int fd) const {
  const auto reader =
      std::ranges::find_if(readers_, [fd](const Reader& r) { return r.channel.fd() == fd; });
  return reader == readers_.end() ? 0 : reader->id;
}

void ReaderList::Remove(uint64_t id) {
  std::erase_if(readers_, [id](const Reader& reader) { return reader.id == id; });
}

const ReaderList::Reader* ReaderList::Find(uint64_t id) const {
  const auto reader = std::ranges::find(readers_, id, &Reader::id);
  return reader == readers_.end() ? nullptr : &*reader;
}

StatusOr<Packet> ReaderList::Receive(uint64_t id) const {
  const Reader* reader = Find(id);
  return reader ? reader->channel.Receive(0) : Unavailable("the follower left");
}

StatusOr<Peer> ReaderList::peer(uint64_t id) const {
  const Reader* reader = Find(id);
  return reader ? reader->channel.peer() : Unavailable("the follower left");
}

Status ReaderList::Send(uint64_t id, std::string_view text) const {
  const Reader* reader = Find(id);
  return reader ? reader->channel.Send(text) : Unavailable("the follower left");
}

bool ReaderList::Holds(uint64_t version) const {
  for (const Reader& reader : readers_) {
    for (const auto& pin : reader.block().pins) {
      if (pin.load(std::memory_order_seq_cst) == version) return true;
    }
  }
  return false;
}

uint64_t ReaderList::Oldest() const {
  uint64_t oldest = 0;
  for (const Reader& reader : readers_) {
    for (const auto& pin : reader.block().pins) {
      const uint64_t version = pin.load(std::memory_order_relaxed);
      if (version != 0 && (oldest == 0 || version < oldest)) oldest = version;
    }
  }
  return oldest;
}

uint64_t ReaderList::taken(size_t i) const {
  return readers_[i].block().taken.load(std::memory_order_relaxed);
}

}  // namespace ramet::shm
