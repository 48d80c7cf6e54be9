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

// A FollowerHost creates and owns graphs and sessions for followers. Bindings for other languages
// implement it because graphs and sessions are objects of that language.
class FollowerHost {
 public:
  virtual ~FollowerHost() = default;
  // Returns an empty graph.
  virtual std::shared_ptr<Graph> NewGraph() = 0;
  // Returns a session over `graph`, which is complete. May be called from a follower's thread.
  virtual StatusOr<std::shared_ptr<Session>> NewSession(const std::shared_ptr<Graph>& graph,
                                                        const SessionOptions& options) = 0;
};

// Controls whether a follower verifies that it has the published values. Both sides hash the values
// (see docs/formats/version-hash.md), and the follower compares the hashes.
enum class Verify : uint8_t {
  kOff,
  // Verifies in the background while runs already use the version. Spends about 1% of the time on
  // this, so if versions come often, not each of them is verified. A version that fails is refused
  // and the previous one is used again.
  kAsync,
  // Verifies each version before it is used. This takes time, because the publisher has to hash the
  // values first.
  kBeforeUse,
};

// Controls what happens when a new publisher's graph differs or its variables do not fit.
enum class OnChange : uint8_t {
  kRefuse,  // Keep the graph. Keep the old publisher's last version if the variables do not fit.
  kReload,  // Build a new graph and session, which replace the old ones.
};

// Configures a Follower.
struct FollowerOptions {
  // The session whose variables follow the published ones of the same names. Must outlive the
  // follower. If null, the follower creates its own session over the published graph.
  Session* session = nullptr;
  // How the published graph is imported for the follower's own session. These options are errors if
  // a session is given. `clear_devices` drops the graph's devices. `device`, for example "/gpu:0",
  // places all operations there. `scope` is prepended to all names. `strip_training` drops what
  // only training needs, like CloneOptions::strip_training. This removes Identity operations too,
  // so a caller that needs one has to list it in `outputs`. If `outputs` (published names of
  // tensors or operations) is not empty, only what these need is imported.
  bool clear_devices = true;
  std::string device = {};
  std::string scope = {};
  bool strip_training = false;
  std::vector<std::string> outputs = {};
  // The model to follow, if several are published together. A session that is given has the
  // variables of that model.
  std::string model = {};
  OnChange on_change = OnChange::kRefuse;  // kReload requires the follower's own session.
  // How long Open waits for a publisher. Negative: forever.
  std::chrono::milliseconds wait = std::chrono::milliseconds(0);
  // An address to follow if the main one has no publisher within `wait`, until it has one.
  std::string fallback = {};
  // If true, each run uses the newest version. If false, runs use the version of the last Update.
  bool automatic = true;
  // Only variables whose names (in the session's graph, without `scope`) begin with one of these
  // prefixes follow. Empty: all variables.
  std::vector<std::string> subsets = {};
  // If true, session variables that are not published keep their values. If false, they are an
  // error.
  bool allow_missing = false;
  Verify verify = Verify::kAsync;
  // Options of the follower's own session. A session that is given keeps the options that it has.
  SessionOptions session_options = {};
  // Creates the graph and the session. If null, the follower creates and owns them. It must be null
  // if a session is given.
  std::shared_ptr<FollowerHost> host = nullptr;
};

// Options of one call of Update.
struct UpdateOptions {
  // Waits until the version is verified. A new version is verified before it is used.
  bool verify = false;
};

// The statistics of a follower.
struct FollowerStats {
  VersionInfo current;       // version is 0 if there is none yet
  uint64_t newest = 0;       // the newest version available
  uint64_t lag = 0;          // the number of versions that `current` is behind `newest`
  double lag_seconds = 0;    // upper bound of the time for which there has been a newer version
  double age_seconds = 0;    // since `current` was published, by both clocks when it arrived
  uint64_t swaps = 0;        // times that a version became current
  uint64_t reloads = 0;      // times that the graph and the session were rebuilt
  uint64_t proven = 0;       // versions whose hashes were equal
  uint64_t refused = 0;      // versions and publishers that could not be used
  std::string last_refusal;  // why the last one was refused
  uint64_t bytes = 0;        // size of the followed values, as published
  bool connected = false;
  bool on_fallback = false;          // following the fallback address
  std::vector<std::string> missing;  // variables of the session that are not published
  std::vector<std::string> extra;  // published variables that the session lacks or does not follow
};

// A Follower keeps the variables of a session at published values (see docs/replicas.md). Each run
// of the session sees one whole version from beginning to end; RunMetadata::version says which. On
// one machine the variables refer to the publisher's memory, so nothing is copied, except integers,
// which may be used as indices. A run may assign to a variable that follows; the next version
// overwrites the assignment.
//
// Converted values are converted back to the variables' dtypes before they are used. Slow work is
// done in the background, not during runs.
//
// When the publisher ends, the last version stays in use. A new publisher at the same address is
// followed in turn. Thread-safe.
class RAMET_EXPORT Follower {
 public:
  // Follows the publisher at `address`, which may have a label, as in "shm:NAME@stable".
  // \error kInvalidArgument: the address is invalid, or options contradict each other.
  // \error kDeadlineExceeded: no publisher appears within `wait`.
  // \error kUnavailable: a process listens there but does not greet within 10 seconds, or within
  //   `wait` if that is longer.
  // \error kPermissionDenied: the publisher refuses the connection.
  // \error kFailedPrecondition: the published variables do not fit the session's, the session
  //   already has a follower, no graph is published and no session is given, or the publisher
  //   uses a different layout.
  // \error kCancelled: the client interrupts the call (RunInterrupt).
  // \error as for Update, if a version is already published.
  static StatusOr<Follower> Open(std::string_view address, const FollowerOptions& options = {});
  Follower(Follower&&) noexcept;
  Follower& operator=(Follower&&) noexcept;
  ~Follower();

  // Return the graph and the session that follow. With OnChange::kReload both may be replaced at
  // any time (FollowerStats::reloads counts this); call these functions again to get the current
  // ones. Replaced graphs and sessions live as long as the follower. The session that was replaced
  // last keeps its last version; older ones have no values.
  Graph& graph() const;
  Session& session() const;

  // Makes the newest version (of the label) current and returns it. Returns the current version if
  // it is the newest or if a version is pinned. The result is version 0 if nothing is published
  // yet. On error, the newest version cannot be used and the previous one stays.
  // \error kDataLoss: the hashes differ from the published ones.
  // \error kUnavailable: the publisher is not there, so the version cannot be verified.
  StatusOr<VersionInfo> Update(const UpdateOptions& options = {});
  // Waits until a version with this number or a higher one, or any version of a different epoch,
  // is current.
  // \error kDeadlineExceeded: no such version came within `timeout`.
  // \error kUnavailable: the follower was closed while waiting.
  // \error kCancelled: the client interrupts the call (RunInterrupt).
  StatusOr<VersionInfo> Wait(uint64_t version, std::chrono::milliseconds timeout);
  // Makes a kept version current and stays with it until Unpin.
  // \error kNotFound: the version is not kept. The message lists those that are.
  Status Pin(uint64_t version);
  void Unpin();
  // Returns the versions that are kept and that Pin accepts, oldest first.
  std::vector<uint64_t> Versions() const;

  // Ask the publisher to do what its functions of the same names do.
  // \error as for Publisher.
  // \error kUnavailable: the publisher is not there.
  // \error kPermissionDenied: this user may follow but not control the publisher.
  Status Promote(std::string_view label, uint64_t version);
  StatusOr<uint64_t> Rollback(uint64_t version);
  StatusOr<PublisherStats> PublisherStatus();
  // Returns the hashes that the publisher has computed for a kept version.
  // \error as for FollowerTransport::Hashes.
  StatusOr<VersionHashes> Hashes(uint64_t version, std::chrono::milliseconds timeout);
  // Returns the published signatures as serialized SignatureDefs by key (ParseSignature), with the
  // names of tensors in graph(). Leaves out signatures whose tensors the graph does not have.
  // Returns none if the session was given.
  std::map<std::string, std::string> signature_defs() const;
  // Returns the names, shapes and dtypes of the published variables.
  ReplicaSignature signature() const;

  VersionInfo current() const;
  FollowerStats stats() const;

 private:
  class Impl;
  explicit Follower(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
