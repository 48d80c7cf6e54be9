#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/replica/redis/connection.h"
#include "ramet/replica/redis/layout.h"

namespace ramet::redis {

// An Upload writes keys without waiting for each answer. The keys expire after the ttl.
class Upload {
 public:
  // Calls `between` from time to time, when no answer is pending.
  Upload(Connection& connection, const RedisUrl& url, std::function<Status()> between)
      : connection_(connection), url_(url), between_(std::move(between)) {}
  Status Set(const std::string& key, std::string_view value);
  // Stores `bytes` in chunks, compressed where that makes them smaller. Fills in `*blob`, whose id
  // must be set.
  Status SetBlob(const Keys& keys, uint64_t epoch, std::string_view bytes, Blob* blob);
  // Waits for all answers.
  // \error as for ErrorOf, if an answer is an error.
  Status Finish();

 private:
  Connection& connection_;
  const RedisUrl& url_;
  const std::function<Status()> between_;
  std::string compressed_;
  size_t due_ = 0;
  size_t due_bytes_ = 0;
};

// A chunk to fetch, and the memory for its uncompressed bytes.
struct WantedChunk {
  std::string key;
  Chunk chunk;
  char* out = nullptr;
  size_t bytes = 0;
};

// Fetches chunks, requesting several ahead. The connection stays usable after kNotFound and
// kDataLoss.
// \error kNotFound: a chunk does not exist.
// \error kDataLoss: a chunk is damaged.
// \error as for Connection.
Status FetchChunks(Connection& connection, const std::vector<WantedChunk>& chunks);

// Fetches a blob as a string, which grows as data arrives.
// \error as for FetchChunks.
StatusOr<std::string> FetchText(Connection& connection, const Keys& keys, const ServerState& state,
                                const Blob& blob);

}  // namespace ramet::redis
