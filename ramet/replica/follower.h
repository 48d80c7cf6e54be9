#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/replica/transport.h"
#include "ramet/runtime/session.h"

namespace ramet {

// Where graphs and sessions of followers are kept by somebody else: bindings of other languages, in
// which they are objects.
class FollowerHost {
 public:
  virtual ~FollowerHost() = default;
  // An empty graph.
  virtual std::shared_ptr<Graph> NewGraph() = 0;
  // A session over it, when it is built. May be called from a thread of the follower.
  virtual StatusOr<std::shared_ptr<Session>> NewSession(const std::shared_ptr<Graph>& graph,
                                                        const SessionOptions& options) = 0;
};

// Whether a follower makes sure that it has what was published: both sides hash the values
// (docs/formats/version-hash.md) and compare.
enum class Verify : uint8_t {
  kOff,
  // Beside the runs, which use the version meanwhile; about one hundredth of the time is spent on
  // it, so that not every version of many is proven. One that turns out to be wrong is refused: the
  // version before counts again.
  kAsync,
  // Before a version is used. The publisher hashes it first, so that this takes time.
  kBeforeUse,
};

// What happens when a new publisher's variables do not fit, or its graph is another one.
enum class OnChange : uint8_t {
  kRefuse,  // the last version of the old one stays; a graph that fits all the same stays too
  kReload,  // graph and session are built anew and take the place of the old ones
};

// How a follower is set up.
struct FollowerOptions {
  // The session whose variables follow, by their names; null: one of the follower's own over the
  // published graph. It outlives the follower.
  Session* session = nullptr;
  // For a session of its own: how the graph gets there. Devices of the published graph are left
  // out, or all operations go to `device` ("/gpu:0"). `scope` stands before all names. What only
  // training needs can be left out, as CloneOptions::strip_training does it: Identity operations go
  // too. So whoever asks for one names it among `outputs` (tensors or operations, as they are
  // published); then there is just what these need.
  bool clear_devices = true;
  std::string device = {};
  std::string scope = {};
  bool strip_training = false;
  std::vector<std::string> outputs = {};
  // Which one of several models that are published together.
  std::string model = {};
  OnChange on_change = OnChange::kRefuse;  // kReload: for a session of its own
  // How long Open waits for the publisher; negative: for ever.
  std::chrono::milliseconds wait = std::chrono::milliseconds(0);
  // An address that is followed when nobody publishes within `wait`, until somebody does.
  std::string fallback = {};
  // Each run uses the newest version; else that of the last Update.
  bool automatic = true;
  // Only variables whose names (in the session's graph, without `scope`) begin with one of these
  // follow; none given: all.
  std::vector<std::string> subsets = {};
  // Variables of the session that are not published keep their own values; else they are an error.
  bool allow_missing = false;
  Verify verify = Verify::kAsync;
  // How a session of its own runs.
  SessionOptions session_options = {};
  // Makes the graph and the session of its own; null: they are the follower's alone.
  std::shared_ptr<FollowerHost> host = nullptr;
};

// How Update goes about it.
struct UpdateOptions {
  // Waits for the proof of the version, before it is used if it is a new one.
  bool verify = false;
};

struct FollowerStats {
  VersionInfo current;       // version 0: none yet
  uint64_t newest = 0;       // that could be had
  uint64_t lag = 0;          // versions between them
  double lag_seconds = 0;    // for how long there has been a newer one, at most; 0: there is none
  double age_seconds = 0;    // since the current one was published, by the clocks when it came
  uint64_t swaps = 0;        // how often a version became current
  uint64_t reloads = 0;      // how often graph and session were built anew
  uint64_t proven = 0;       // versions whose hashes were found equal
  uint64_t refused = 0;      // versions that could not be used, and publishers
  std::string last_refusal;  // and why the last one was not
  uint64_t bytes = 0;        // of the values that are followed, as published
  bool connected = false;
  bool on_fallback = false;          // nobody publishes at the address itself yet
  std::vector<std::string> missing;  // variables of the session that are not published
  std::vector<std::string> extra;    // published ones that the session does not have, or follow
};

// A Follower keeps the variables of a session at the values that a publisher published
// (docs/replicas.md). Each run of the session sees one whole version from its beginning to its end;
// RunMetadata::version says which. On one machine the variables show the publisher's memory:
// nothing is copied (but for integers, which may be indices). What a run assigns to a variable that
// follows counts until the next version comes.
//
// Values that were converted have the variables' own dtypes again before they are used; what takes
// time is done beside the runs.
//
// When the publisher ends, the last version stays; when there is one at the address again, it is
// followed. Thread-safe.
class RAMET_EXPORT Follower {
 public:
  // `address` is a publisher's, or with a label "shm:NAME@stable". \error kInvalidArgument for the
  // address and for options that do not go together; kDeadlineExceeded if nobody publishes there
  //   within `wait`; kUnavailable if a process listens there that does not greet within 10 seconds,
  //   or `wait` if that is longer; kPermissionDenied if the publisher refuses; kFailedPrecondition
  //   if what is published does not fit the session's variables, if the session has a follower
  //   already, or if no graph is published and no session given.
  static StatusOr<Follower> Open(std::string_view address, const FollowerOptions& options = {});
  Follower(Follower&&) noexcept;
  Follower& operator=(Follower&&) noexcept;
  ~Follower();

  // Those that follow now. With OnChange::kReload others may take their place at any time: they
  // have to be asked for again then (FollowerStats::reloads). The former ones stay as long as the
  // follower; the last ones before keep their last version, older ones have no values any more.
  Graph& graph() const;
  Session& session() const;

  // Makes the newest version (of the label) current and returns it; the one that is current, if
  // there is no newer one or one is pinned. Version 0: nothing is published yet.
  // \error why the newest one cannot be used: the one before stays. kDataLoss if its hashes are not
  //   those that were published; kUnavailable if there is nobody to prove it.
  StatusOr<VersionInfo> Update(const UpdateOptions& options = {});
  // Waits until a version of that number or a later one is current (of any other epoch too).
  // \error kDeadlineExceeded; kUnavailable if the follower is closed meanwhile.
  StatusOr<VersionInfo> Wait(uint64_t version, std::chrono::milliseconds timeout);
  // Makes a version that is still kept current and stays with it until Unpin.
  // \error kNotFound if it is not kept (any more), naming those that are.
  Status Pin(uint64_t version);
  void Unpin();
  // Versions that are kept, oldest first: those that Pin can take.
  std::vector<uint64_t> Versions() const;

  // What the publisher can do, from here. \error as Publisher's; kUnavailable if it is not there;
  //   kPermissionDenied if this user may only follow.
  Status Promote(std::string_view label, uint64_t version);
  StatusOr<uint64_t> Rollback(uint64_t version);
  StatusOr<PublisherStats> PublisherStatus();
  // What hashes a version that is kept has, by the publisher's word. \error as FollowerTransport.
  StatusOr<VersionHashes> Hashes(uint64_t version, std::chrono::milliseconds timeout);
  // What is published: names, shapes, dtypes.
  ReplicaSignature signature() const;

  VersionInfo current() const;
  FollowerStats stats() const;

 private:
  class Impl;
  explicit Follower(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
