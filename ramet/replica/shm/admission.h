#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ramet/replica/shm/channel.h"
#include "ramet/replica/shm/reader_list.h"
#include "ramet/replica/shm/requests.h"
#include "ramet/replica/shm/shared_pool.h"

namespace ramet::shm {

// The first packet for each follower, without its control block. Admission sets `num_segments`.
struct Greeting {
  Hello hello;
  std::vector<int> fds;
};

// An Admission accepts a publisher's followers, greets them, and adds them to its list. Not
// thread-safe.
class Admission {
 public:
  // The references must outlive the admission.
  Admission(Listener listener, Greeting greeting, const SharedPool& pool, ReaderList& readers)
      : listener_(std::move(listener)),
        greeting_(std::move(greeting)),
        pool_(pool),
        readers_(readers) {}
  // Returns the descriptor to wait for, or -1 after Close.
  int fd() const { return listener_ ? listener_->fd() : -1; }
  // Accepts a waiting follower. Returns false if no follower can be accepted for a while, because
  // descriptors are short.
  bool AcceptOne();
  // Refuses new followers.
  void Close() { listener_.reset(); }

 private:
  void Welcome(Channel channel);

  std::optional<Listener> listener_;
  const Greeting greeting_;
  const SharedPool& pool_;
  ReaderList& readers_;
};

}  // namespace ramet::shm
