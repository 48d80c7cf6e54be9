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

// Publishes variables whose names begin with `from` under names that begin with `to` instead.
struct Renaming {
  std::string from;
  std::string to;
};

// Converts the variables whose names in the graph begin with `prefix`.
struct ConversionRule {
  std::string prefix;  // Empty: all variables.
  Conversion to = Conversion::kNone;
};

// Controls what a Publisher publishes and when.
struct PublisherOptions {
  // The variables to publish. Empty: those of the collection "variables", except the ones that only
  // optimizers use.
  std::vector<Variable> variables = {};
  // If `variables` is empty, publishes the whole collection, optimizer state included. Use it for a
  // trainer that another one can take over from.
  bool all_variables = false;
  // Also publishes the graph as a MetaGraphDef, so that followers need nothing else.
  bool graph = true;
  // Signatures to publish with the graph, as serialized SignatureDefs by key (SerializeSignature).
  // `ramet serve` offers them; followers return them (Follower::signature_defs).
  std::map<std::string, std::string> signature_defs = {};
  // For example {{"train/", "serve/"}}. The first rule that matches a name applies. Followers that
  // take their graph from this publisher know the variables under both names.
  std::vector<Renaming> rename = {};
  // For example {{"embedding/", Conversion::kInt8}, {"", Conversion::kBFloat16}}. The first rule
  // that matches a name applies. Publish converts the values that have changed since the previous
  // version, on the thread that calls it. Followers convert them back to the variable's dtype.
  // Integers are never converted.
  std::vector<ConversionRule> convert = {};
  // Publish automatically after every `every_steps` runs that wrote variables, or at the end of the
  // first such run after `every_seconds` have passed. If both are 0, only Publish publishes.
  int64_t every_steps = 0;
  double every_seconds = 0;
  RetentionOptions retention = {};
  AccessOptions access = {};
};

// A model to publish together with others at one address.
struct PublishedModel {
  std::string name;
  const Session* session = nullptr;      // Must outlive the publisher.
  std::vector<Variable> variables = {};  // Like PublisherOptions::variables, for this model.
  // Like PublisherOptions::signature_defs, for this model.
  std::map<std::string, std::string> signature_defs = {};
};

// Information that Publish records with a version.
struct PublishOptions {
  // The trainer's step. -1: the value of the graph's global step, if it has one (the first
  // model's).
  int64_t step = -1;
  // Numbers of the user's choice, published with the version. At most 1984 bytes as JSON.
  std::map<std::string, double> metrics = {};
};

// A Publisher makes the values of a session's variables available to followers in this process or
// in other processes (see docs/replicas.md). Each call of Publish creates a version: the values of
// all published variables between two runs. Publishing does not copy them. A published buffer is
// never written again; the next update of its variable writes to a different buffer. The first
// version does copy, because it moves the session's variables to the publisher's memory. A value
// that `Assign` later takes from elsewhere is copied as well.
//
// Thread-safe. Other threads may use the session while its variables are published. Publish waits
// for runs that write variables, and such runs wait for Publish. After a Publisher is destroyed,
// followers keep the last version.
class RAMET_EXPORT Publisher {
 public:
  // Publishes the variables of `session` at `address`. ReplicaAddressForms returns the forms of
  // addresses.
  // For files and Redis, Publish passes the values to a background thread that writes or sends
  // them (see docs/replicas.md).
  // \error kAlreadyExists: `address` has a publisher and options.access.takeover is false.
  // \error kInvalidArgument: the address or an option is invalid, two variables share a name, or a
  //   signature is not a SignatureDef or names a tensor that the graph does not have.
  // \error kUnimplemented: a variable has a dtype that cannot be published (string, resource,
  //   variant). The message names it.
  // \error kFailedPrecondition: a variable has no value and its shape is not fully known.
  // \error kResourceExhausted: the memory cannot be reserved.
  // \error kCancelled: the client interrupts the call (RunInterrupt).
  static StatusOr<Publisher> Open(std::string_view address, const Session& session,
                                  const PublisherOptions& options = {});
  // Publishes several models. Each version holds the values of all of them at one moment. Variables
  // are published as "NAME/variable", and each follower follows one model (FollowerOptions::model).
  // If runs of one session start runs of another one, list the outer session first.
  // \error kInvalidArgument: a model's name is empty, contains a slash or a colon, or is used
  //   twice, or PublisherOptions::variables or PublisherOptions::signature_defs is set.
  // \error as for a single model.
  static StatusOr<Publisher> Open(std::string_view address, std::span<const PublishedModel> models,
                                  const PublisherOptions& options = {});
  Publisher(Publisher&&) noexcept;
  Publisher& operator=(Publisher&&) noexcept;
  ~Publisher();

  // Publishes the current values and returns the version's number, which is 1 for the first
  // version. Values in device memory are copied in the background; the version appears once they
  // have arrived, under the returned number unless there is a rollback in between. If that fails,
  // the version does not appear, and the next call returns the error and publishes nothing.
  // \error kFailedPrecondition: called from within a run of the session, or a variable is
  //   uninitialized or has changed its shape.
  // \error kResourceExhausted: followers hold so many versions that there is no room
  //   (RetentionOptions), or the previous version is still being copied from its device.
  // \error kInvalidArgument: the metrics are too long, or a value to be converted to int8 is not
  //   finite.
  // \error kAborted: another publisher has taken over.
  // \error kCancelled: the client interrupts the call (RunInterrupt).
  StatusOr<uint64_t> Publish(const PublishOptions& options = {});
  // Makes "ADDRESS@label" name `version`, which is kept as long as the label names it. A label has
  // 1 to 47 bytes. At `file:` addresses it contains no '/' and no space and does not begin with
  // '.'.
  // \error kNotFound: the version is not kept.
  // \error kInvalidArgument: the label is invalid.
  Status Promote(std::string_view label, uint64_t version);
  // Makes a kept version the newest one again and returns its new number. VersionInfo::rollback_to
  // of the new version is `version`. The session's variables do not change.
  // \error kNotFound: the version is not kept.
  // \error kResourceExhausted: as for Publish.
  // \error kAborted: as for Publish.
  StatusOr<uint64_t> Rollback(uint64_t version);

  // Waits until followers can take the last version, if a background thread copies it from a
  // device, or at `file:` and `redis:` addresses writes or sends it.
  // \error as for Publish: an earlier version was not published.
  // \error kUnavailable: the server could not be reached in time.
  // \error as for the file operations, if the version could not be written.
  Status Flush();

  const std::string& address() const;
  const ReplicaSignature& signature() const;
  PublisherStats stats() const;

 private:
  class Impl;
  explicit Publisher(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
