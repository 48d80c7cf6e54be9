#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/replica/redis/connection.h"
#include "ramet/replica/redis/layout.h"

namespace ramet::redis {

// Writes keys without waiting for each answer. All of them expire after url.ttl.
class Upload {
 public:
  // `between` is called from time to time, when no answer is due.
  Upload(Connection& connection, const RedisUrl& url, std::function<Status()> between)
      : connection_(connection), url_(url), between_(std::move(between)) {}
  Status Set(const std::string& key, std::string_view value);
  // Stores `bytes` in chunks, compressed where that makes them smaller, and says which in `*blob`,
  // whose id is set.
  Status SetBlob(const Keys& keys, uint64_t epoch, std::string_view bytes, Blob* blob);
  // Waits for all answers. \error as ErrorOf says of one that is an error.
  Status Finish();

 private:
  Connection& connection_;
  const RedisUrl& url_;
  const std::function<Status()> between_;
  std::string compressed_;
  size_t due_ = 0;
  size_t due_bytes_ = 0;
};

// One chunk, and where what it stands for goes.
struct WantedChunk {
  std::string key;
  Chunk chunk;
  char* out = nullptr;
  size_t bytes = 0;
};

// Reads chunks, some ahead. \error kNotFound if one is not there (any more), kDataLoss if one is
// damaged: the connection is good for more then; and those of Connection.
Status FetchChunks(Connection& connection, const std::vector<WantedChunk>& chunks);

// Reads a blob into a text, which grows as it comes. \error as FetchChunks.
StatusOr<std::string> FetchText(Connection& connection, const Keys& keys, const ServerState& state,
                                const Blob& blob);

}  // namespace ramet::redis
