#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/replica/shm/channel.h"
#include "ramet/replica/shm/layout.h"
#include "ramet/replica/shm/memory_file.h"
#include "ramet/replica/shm/reader_quota.h"
#include "ramet/replica/shm/shared_pool.h"

namespace ramet::shm {

// The followers of one publisher: their connections, and which versions they hold. A follower's
// pins count as long as its connection lasts. One thread at a time.
//
// A process that connects often, or reads nothing, takes no place from others (ReaderQuota): a
// connection that does not read its greeting is dropped after kGreetingTime, and when all places
// are taken the connection of whoever has most of them is.
class ReaderList {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kGreetingTime{10};
  // Pins of a follower that was dropped for another count for so long: its runs may go on.
  static constexpr std::chrono::seconds kPinGrace{30};
  static constexpr size_t kMaxDropped = 64;
  static constexpr size_t kMaxQuestions = 16;

  ReaderList() = default;
  explicit ReaderList(const ReaderLimits& limits) : quota_(limits) {}

  // Gives a new follower `hello`, the descriptors that go with it and a control block of its own,
  // and then the segments. One that does not take them is dropped.
  // \error kResourceExhausted if the list is full.
  Status Add(Channel channel, const std::string& hello, std::vector<int> fds,
             const std::vector<SharedPool::Segment>& segments);
  // Tells all of them the segments that they do not know yet. False if some have not read the
  // former ones yet; they are told when it is called again.
  bool SendSegments(const std::vector<SharedPool::Segment>& segments);
  // Whether there is nothing to tell them.
  bool KnowAll(size_t num_segments) const;
  // Drops those whose time is over. False if there is nothing to look at again later.
  bool DropOverdue(Clock::time_point now);
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

  // Counts a question whose answer comes later. False if that follower is gone or has kMaxQuestions
  // of them already.
  bool BeginQuestion(uint64_t id);
  void EndQuestion(uint64_t id);

 private:
  struct Reader {
    Channel channel;
    MemoryFile control;
    Connected connected;
    uint64_t id = 0;
    size_t segments_sent = 0;
    size_t questions = 0;
  };
  // The pins of a follower that was dropped for another one.
  struct Dropped {
    MemoryFile control;
    Clock::time_point until;
  };
  static bool SendMissing(Reader& reader, const std::vector<SharedPool::Segment>& segments);
  // Null: it is gone.
  const Reader* Find(uint64_t id) const;
  Reader* Find(uint64_t id) {
    return const_cast<Reader*>(static_cast<const ReaderList*>(this)->Find(id));
  }
  void NoteRead();
  bool MakePlaceFor(const Connected& newcomer);
  void Drop(size_t i, Clock::time_point now);
  template <class Fn>
  void ForEachPin(Fn fn) const;

  ReaderQuota quota_;
  std::vector<Reader> readers_;
  std::vector<Dropped> dropped_;
  uint64_t last_id_ = 0;
};

}  // namespace ramet::shm
