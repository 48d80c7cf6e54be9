#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/replica/shm/channel.h"
#include "ramet/replica/shm/layout.h"
#include "ramet/replica/shm/memory_file.h"
#include "ramet/replica/shm/shared_pool.h"

namespace ramet::shm {

// The followers of one publisher: their connections, and which versions they hold. A follower's
// pins count as long as its connection lasts. One thread at a time.
class ReaderList {
 public:
  static constexpr size_t kMost = 1024;

  // Gives a new follower `hello`, the descriptors that go with it and a control block of its own,
  // and then the segments. One that does not take them is dropped.
  Status Add(Channel channel, const std::string& hello, std::vector<int> fds,
             const std::vector<SharedPool::Segment>& segments);
  // Tells all of them the segments that they do not know yet. False if some have not read the
  // former ones yet; they are told when it is called again.
  bool SendSegments(const std::vector<SharedPool::Segment>& segments);
  // Whether there is nothing to tell them.
  bool KnowAll(size_t num_segments) const;
  // Which of all followers there ever were has this descriptor; 0: none.
  uint64_t IdOf(int fd) const;
  // Drops that follower.
  void Remove(uint64_t id);

  bool Holds(uint64_t version) const;
  // The oldest version that somebody holds; 0: nobody holds any.
  uint64_t Oldest() const;
  size_t size() const { return readers_.size(); }
  // By number, from 0.
  int fd(size_t i) const { return readers_[i].channel.fd(); }
  // As of its Channel. \error kUnavailable if that follower is gone.
  StatusOr<Packet> Receive(uint64_t id) const;
  StatusOr<Peer> peer(uint64_t id) const;
  Status Send(uint64_t id, std::string_view text) const;
  // The newest version that follower i says to use.
  uint64_t taken(size_t i) const;

 private:
  struct Reader {
    Channel channel;
    MemoryFile control;
    uint64_t id = 0;
    size_t segments_sent = 0;
    const ControlBlock& block() const {
      return *reinterpret_cast<const ControlBlock*>(control.data());
    }
  };
  static bool SendMissing(Reader& reader, const std::vector<SharedPool::Segment>& segments);
  // Null: it is gone.
  const Reader* Find(uint64_t id) const;
  std::vector<Reader> readers_;
  uint64_t last_id_ = 0;
};

}  // namespace ramet::shm
