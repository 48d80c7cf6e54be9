#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "ramet/replica/address.h"
#include "ramet/replica/follower.h"
#include "ramet/replica/follower_source.h"
#include "ramet/replica/prover.h"

namespace ramet {

// What a Follower does, in three files: follower.cc (beginning, waiting, what it tells),
// follower_versions.cc (taking and proving versions), follower_watch.cc (the thread that waits for
// versions and publishers).
class Follower::Impl {
 public:
  using Clock = FollowerTransport::Clock;
  using Millis = std::chrono::milliseconds;
  using Source = std::shared_ptr<const FollowerSource>;
  using Values = std::shared_ptr<HeldValues>;
  static constexpr std::chrono::seconds kHandshake{10};
  static constexpr Millis kLongestWait{500};
  static constexpr Millis kFirstPause{10};
  static constexpr Millis kLongestPause{100};

  Impl(std::string text, ReplicaAddress address, const FollowerOptions& options)
      : text_(std::move(text)), address_(std::move(address)), options_(options) {}
  ~Impl();

  Status Start();
  Session& session() const;
  StatusOr<VersionInfo> Update(const UpdateOptions& options);
  StatusOr<VersionInfo> Wait(uint64_t version, Millis timeout);
  Status Pin(uint64_t version);
  void Unpin();
  VersionInfo current() const;
  FollowerStats stats() const;
  std::shared_ptr<FollowerTransport> transport() const;

 private:
  StatusOr<Source> FirstSource();
  Source source() const;
  Status AdoptNewest(bool prove);
  Status AdoptNewestLocked(bool prove);
  Status Adopt(uint64_t version, bool prove);
  void Retake();
  StatusOr<Values> Take(uint64_t version, bool prove);
  void Use(const Source& source, Values values, const VersionInfo& info);
  Status ProveCurrent();
  void NoteProven(HeldValues& values, const VersionHashes& hashes);
  void Judge(const Values& values, const Values& before, const StatusOr<VersionHashes>& hashes);
  void GoBackFrom(const Values& values, const Values& before, const Status& why);
  void Disprove(const HeldValues& values, const Status& why);
  void Refuse(const Status& why);
  void Watch();
  bool LookOnce(uint64_t* seen);
  bool TryAddress();
  void Pause(const std::shared_ptr<FollowerTransport>& refused);

  const std::string text_;
  const ReplicaAddress address_;
  const FollowerOptions options_;

  std::mutex update_mutex_;  // of those who change what is current
  // What proofs have found to be wrong, by epoch and version.
  std::map<std::pair<uint64_t, uint64_t>, Status> disproved_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Source source_;
  std::shared_ptr<FollowedModel> model_;  // which has the current version
  std::vector<std::shared_ptr<FollowedModel>> former_;
  std::shared_ptr<FollowerTransport>
      refused_;  // of a publisher that does not fit, while it is there
  Values values_;
  VersionInfo current_;
  Clock::time_point used_since_;
  double age_then_ = 0;  // in seconds
  std::optional<uint64_t> pinned_;
  bool on_fallback_ = false;
  uint64_t swaps_ = 0, reloads_ = 0, proven_ = 0, refusals_ = 0;
  std::string last_refusal_;
  bool stopping_ = false;
  Millis pause_ = kFirstPause;  // of the watcher
  std::thread watcher_;
  std::unique_ptr<Prover> prover_;
};

}  // namespace ramet
