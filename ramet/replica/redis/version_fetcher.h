#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/replica/redis/seen_state.h"
#include "ramet/replica/redis/server.h"
#include "ramet/replica/transport.h"

namespace ramet::redis {

// A VersionFetcher fetches the values of versions over a connection of its own. Values that the
// version before had too are not fetched again. Thread-safe.
class VersionFetcher {
 public:
  // The arguments must outlive the fetcher. `announcement` must be complete when Take is called.
  VersionFetcher(const Server& server, const Announcement& announcement, SeenState& seen)
      : server_(server), announcement_(announcement), seen_(seen) {}

  // Fetches a version.
  // \error kNotFound: the version is not kept.
  // \error kDataLoss: the version is damaged.
  // \error kUnavailable: the server cannot be reached, or the state is interrupted.
  StatusOr<std::unique_ptr<HeldVersion>> Take(uint64_t version);

 private:
  StatusOr<std::unique_ptr<HeldVersion>> TakeBy(Connection& connection, uint64_t version)
      RAMET_REQUIRES(mutex_);
  Status FetchValues(Connection& connection, const ServerState& state, const Manifest& manifest,
                     std::vector<Tensor>* values) RAMET_REQUIRES(mutex_);

  const Server& server_;
  const Announcement& announcement_;
  SeenState& seen_;

  Mutex mutex_;  // held while a version is fetched
  std::unique_ptr<Connection> connection_ RAMET_GUARDED_BY(mutex_);
  // Values of the last version fetched, by blob.
  std::map<uint64_t, Tensor> fetched_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet::redis
