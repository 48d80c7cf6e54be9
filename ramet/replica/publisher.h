#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/replica/conversions.h"
#include "ramet/replica/transport.h"
#include "ramet/runtime/session.h"

namespace ramet {

// Names that begin with `from` begin with `to` where they are published.
struct Renaming {
  std::string from;
  std::string to;
};

// Variables whose names (in the graph) begin with `prefix` are converted.
struct ConversionRule {
  std::string prefix;  // "": all
  Conversion to = Conversion::kNone;
};

// What is published, and when.
struct PublisherOptions {
  // Default: the variables of the collection "variables" without what only optimizers use.
  std::vector<Variable> variables = {};
  // All of that collection, what optimizers keep too: for a trainer that can take over.
  bool all_variables = false;
  // Whether the graph goes with them as a MetaGraphDef, so that followers need nothing else.
  bool graph = true;
  // {{"train/", "serve/"}}: the first one that fits counts. Followers that have the graph from here
  // know the variables under both names.
  std::vector<Renaming> rename = {};
  // {{"embedding/", Conversion::kInt8}, {"", Conversion::kBFloat16}}: the first one that fits
  // counts. Publish converts, on the thread that calls it, what has changed since the version
  // before. Followers have values of the variable's own dtype again. Integers are left alone.
  std::vector<ConversionRule> convert = {};
  // Publishes by itself after every so many runs that wrote variables, or once so much time has
  // passed at the end of such a run; 0: only when Publish is called.
  int64_t every_steps = 0;
  double every_seconds = 0;
  RetentionOptions retention = {};
  AccessOptions access = {};
};

// One of several models that are published together.
struct PublishedModel {
  std::string name;
  const Session* session = nullptr;      // it is used as long as the publisher
  std::vector<Variable> variables = {};  // as PublisherOptions::variables, for this model
};

// What is said of one version.
struct PublishOptions {
  // Default: the value of the graph's global step, if it has one (the first model's).
  int64_t step = -1;
  // Numbers of the user's own that go with the version; their text has 2 KiB at most.
  std::map<std::string, double> metrics = {};
};

// A Publisher makes the values of a session's variables available to followers, in this process or
// others (docs/replicas.md). What it publishes is a version: the values between two runs. They are
// not copied: a published buffer is never written again, the next update of its variable goes to
// another one. So the session's variables are moved to the publisher's memory by the first
// version, which is the one that copies; so is what `Assign` later sets from elsewhere.
//
// Thread-safe. The session may be used meanwhile, from several threads; publishing waits for runs
// that write variables, and these for publishing. When a Publisher ends, followers keep the last
// version.
class RAMET_EXPORT Publisher {
 public:
  // `address` is "shm:NAME", "shm:PATH" of a socket file, "file:DIR" of a folder of checkpoints,
  // or "redis://server/NAME" (docs/replicas.md; with files and on a server, Publish hands the
  // values to a thread that writes or sends them). \error
  // kAlreadyExists if there is a publisher at that address, unless options.access.takeover asks it
  // to end; kInvalidArgument for
  //   addresses and options, and for two variables of one name; kUnimplemented naming variables of
  //   dtypes that cannot be published (string, resource, variant);
  //   kFailedPrecondition if a variable's shape is neither known nor has it a value;
  //   kResourceExhausted if the memory is not to be had.
  static StatusOr<Publisher> Open(std::string_view address, const Session& session,
                                  const PublisherOptions& options = {});
  // Several models, each version of which is one moment of all: published as "NAME/variable", and
  // followed one by one (FollowerOptions::model). If runs of one session start runs of another one,
  // that session comes first. \error besides: kInvalidArgument for names that are empty, have a
  //   slash or a colon, or come twice, and for PublisherOptions::variables.
  static StatusOr<Publisher> Open(std::string_view address, std::span<const PublishedModel> models,
                                  const PublisherOptions& options = {});
  Publisher(Publisher&&) noexcept;
  Publisher& operator=(Publisher&&) noexcept;
  ~Publisher();

  // Publishes the current values and returns the version's number, 1 for the first one. Values in
  // the memory of a device are copied behind it: the version comes when they are there, under that
  // number unless somebody rolls back meanwhile.
  // \error kFailedPrecondition from within a run of the session, for uninitialised variables, and
  //   for one whose shape has changed; kResourceExhausted if followers hold so much that there is
  //   no room (RetentionOptions); kInvalidArgument for metrics that are too long, and for values
  //   that are not finite where int8 is asked for; kAborted once another publisher has taken over.
  StatusOr<uint64_t> Publish(const PublishOptions& options = {});
  // Makes "ADDRESS@label" name a version, which is kept as long. \error kNotFound if the version is
  // not kept (any more); kInvalidArgument for the label.
  Status Promote(std::string_view label, uint64_t version);
  // Makes a version that is kept the newest one again: under a new number, which it returns, and
  // which says so (VersionInfo::rollback_to). The session's variables stay as they are. \error
  // kNotFound if it is not kept; kResourceExhausted, kAborted as Publish.
  StatusOr<uint64_t> Rollback(uint64_t version);

  const std::string& address() const;
  const ReplicaSignature& signature() const;
  PublisherStats stats() const;

 private:
  class Impl;
  explicit Publisher(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
