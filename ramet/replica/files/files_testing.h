#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "ramet/base/file.h"
#include "ramet/base/scratch_dir.h"
#include "ramet/format/bundle_writer.h"
#include "ramet/format/checkpoint_state.h"
#include "ramet/replica/files/files_follower.h"
#include "ramet/replica/files/files_publisher.h"

// Helpers of the tests of checkpoint folders. They save checkpoints without a trainer.
namespace ramet::files {

using Clock = FollowerTransport::Clock;

inline Clock::time_point Soon() { return Clock::now() + std::chrono::seconds(30); }

// Saves "w" (n floats, all `value`), and "global_step" unless it is negative.
inline Status SaveTensors(const std::string& prefix, float value, int64_t step = -1,
                          int64_t n = 4) {
  RAMET_ASSIGN_OR_RETURN(BundleWriter writer, BundleWriter::Create(prefix));
  if (step >= 0) RAMET_RETURN_IF_ERROR(writer.Add("global_step", Tensor(step)));
  RAMET_RETURN_IF_ERROR(writer.Add("w", Tensor::Of<float>(Shape{n}, {value})));
  return writer.Finish();
}

// Saves like a trainer: the checkpoint with its graph, then the state file.
inline void Save(const std::string& prefix, float value, int64_t step = -1, int64_t n = 4) {
  ASSERT_EQ(AtomicWriteFile(prefix + ".meta", "graph").ToString(), "OK");
  ASSERT_EQ(SaveTensors(prefix, value, step, n).ToString(), "OK");
  CheckpointStateInfo state;
  state.model_checkpoint_path = prefix;
  ASSERT_EQ(WriteCheckpointState(std::string(Dirname(prefix)), state).ToString(), "OK");
}

inline std::unique_ptr<FollowerTransport> Follow(const std::string& address) {
  return ConnectFollower(address, Soon()).value();
}

// Returns the value of all elements of "w", or NaN if they differ.
inline float ValueOf(const HeldVersion& held, const ReplicaSignature& signature) {
  for (size_t i = 0; i < signature.size(); ++i) {
    if (signature[i].name != "w") continue;
    const auto w = held.values[i].flat<float>();
    for (const float element : w) {
      if (element != w[0]) return std::nanf("");
    }
    return w[0];
  }
  return std::nanf("");
}

inline float Take(FollowerTransport& follower, uint64_t version) {
  return ValueOf(*follower.Take(version).value(), follower.announcement().signature);
}

// Waits until the newest version (of a label) is `version`. Returns false if the transport ends.
inline bool WaitFor(FollowerTransport& follower, uint64_t version, std::string_view label = "") {
  uint64_t seen = 0;
  const auto deadline = Soon();
  while (follower.connected() && follower.Newest(label) != version) {
    if (Clock::now() > deadline) return false;
    follower.Wait(&seen, deadline);
  }
  return follower.connected();
}

inline bool WaitForEnd(FollowerTransport& follower) {
  uint64_t seen = 0;
  const auto deadline = Soon();
  while (follower.connected() && Clock::now() < deadline) follower.Wait(&seen, deadline);
  return !follower.connected();
}

// Connects again, retrying until the new connection is possible.
inline std::unique_ptr<FollowerTransport> FollowAgain(const std::string& address) {
  const auto deadline = Soon();
  while (true) {
    auto follower = ConnectFollower(address, deadline);
    if (follower.ok() || Clock::now() > deadline) return std::move(follower).value();
  }
}

}  // namespace ramet::files
