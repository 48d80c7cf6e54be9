#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/replica/shm/channel.h"
#include "ramet/replica/shm/pin_block.h"
#include "ramet/replica/shm/reader_quota.h"
#include "ramet/replica/shm/shared_pool.h"

namespace ramet::shm {

// A Reader is a follower's connection to its publisher, and what the publisher knows about it.
struct Reader {
  Channel channel;
  PinBlock pins;
  Connected connected;
  uint64_t id = 0;
  size_t segments_sent = 0;
  size_t questions = 0;  // that wait for an answer

  // Sets connected.has_read if the follower has read its greeting.
  void NoteRead();
  // Sends the segments that the follower does not know yet. Returns false if the follower is gone.
  // If sending fails for another reason (its socket is full, or too many descriptors are in
  // flight), it gets the segments later.
  bool SendMissing(const std::vector<SharedPool::Segment>& segments);
};

// A ReaderList holds the followers of a publisher: their connections, and the versions they hold. A
// follower's pins count while its connection lasts. Thread-safe.
//
// A process that connects often or does not read cannot keep others out (ReaderQuota). A
// connection that does not read its greeting is dropped after kGreetingTime. When there is no
// room, a connection of the user or process that has the most is dropped.
class ReaderList {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kGreetingTime{10};
  // How long the pins of a dropped follower still count, because it may have runs in progress.
  static constexpr std::chrono::seconds kPinGrace{30};
  static constexpr size_t kMaxDropped = 64;
  static constexpr size_t kMaxQuestions = 16;

  ReaderList() = default;
  explicit ReaderList(const ReaderLimits& limits) : quota_(limits) {}

  // Sends a new follower `hello`, the descriptors that go with it and its control block, and then
  // the segments. A follower that does not take them is dropped.
  // \error kResourceExhausted: the list is full.
  Status Add(Channel channel, const std::string& hello, std::vector<int> fds,
             const std::vector<SharedPool::Segment>& segments);
  // Sends each follower the segments that it does not know yet. Returns false if some followers
  // have not read earlier packets; call it again to send them the rest.
  bool SendSegments(const std::vector<SharedPool::Segment>& segments);
  // Like SendSegments, for all segments of `pool`. Does little if all followers know them.
  bool SendSegmentsOf(const SharedPool& pool);
  // Drops followers that have not read their greeting in time, and the pins of dropped followers
  // after kPinGrace. Returns true if there is something to check again later.
  bool DropOverdue(Clock::time_point now);
  // Returns the id of the follower with this descriptor, or 0. Ids are never reused.
  uint64_t IdOf(int fd) const;
  // Drops the follower with this id.
  void Remove(uint64_t id);

  bool Holds(uint64_t version) const;
  // Returns the oldest version that a follower holds, or 0 if there is none.
  uint64_t Oldest() const;
  size_t size() const;
  // Returns the descriptors of the followers' connections. They are valid until the followers are
  // dropped.
  std::vector<int> fds() const;
  // Like the functions of the follower's Channel.
  // \error kUnavailable: the follower is gone.
  StatusOr<Packet> Receive(uint64_t id) const;
  StatusOr<Peer> peer(uint64_t id) const;
  Status Send(uint64_t id, std::string_view text, std::span<const int> fds = {}) const;
  // Counts a question that is answered later. Returns false if the follower is gone or already has
  // kMaxQuestions of them.
  bool BeginQuestion(uint64_t id);
  void EndQuestion(uint64_t id);

 private:
  bool SendMissingToAll(const std::vector<SharedPool::Segment>& segments) RAMET_REQUIRES(mutex_);
  bool AllKnow(size_t num_segments) const RAMET_REQUIRES(mutex_);
  // Returns null if the follower is gone.
  const Reader* Find(uint64_t id) const RAMET_REQUIRES(mutex_);
  bool MakeRoomFor(const Connected& newcomer) RAMET_REQUIRES(mutex_);
  void Drop(size_t i, Clock::time_point now) RAMET_REQUIRES(mutex_);

  mutable Mutex mutex_;
  ReaderQuota quota_ RAMET_GUARDED_BY(mutex_);
  std::vector<Reader> readers_ RAMET_GUARDED_BY(mutex_);
  DroppedPins dropped_ RAMET_GUARDED_BY(mutex_);
  uint64_t last_id_ RAMET_GUARDED_BY(mutex_) = 0;
};

}  // namespace ramet::shm
