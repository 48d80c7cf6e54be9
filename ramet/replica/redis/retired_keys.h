#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "ramet/replica/redis/layout.h"
#include "ramet/replica/redis/link.h"

namespace ramet::redis {

// Appends the keys of a blob's chunks to `keys`.
void AppendChunkKeys(const Keys& names, uint64_t epoch, const Blob& blob,
                     std::vector<std::string>* keys);

// Sets the time to live of keys. Returns true if all of them exist.
// \error as for Connection::Receive and ErrorOf.
StatusOr<bool> ExpireKeys(Connection& connection, const std::vector<std::string>& keys,
                          std::chrono::milliseconds time);
// Deletes keys. Stops early if the link is cut.
void UnlinkKeys(const Link& link, const std::vector<std::string>& keys);

// RetiredKeys holds keys that are not needed anymore. They expire after a while, so that followers
// can finish reading them. Not thread-safe.
class RetiredKeys {
 public:
  // The references must outlive this object.
  RetiredKeys(const Server& server, const Link& link) : server_(server), link_(link) {}
  // Adds keys, whose values have `bytes` bytes.
  void Add(std::vector<std::string> keys, uint64_t bytes);
  // Adds all keys that the publisher of an earlier state has left.
  void AddAll(const ServerState& left);
  // Drops keys that have expired. Deletes others, oldest first, while the values take more than
  // `max_bytes` bytes.
  void Free(uint64_t max_bytes);
  // Returns the size of the values.
  uint64_t bytes() const { return bytes_; }

 private:
  struct Group {
    Clock::time_point gone;
    uint64_t bytes = 0;
    std::vector<std::string> keys;
  };

  const Server& server_;
  const Link& link_;
  std::deque<Group> groups_;
  uint64_t bytes_ = 0;
};

}  // namespace ramet::redis
