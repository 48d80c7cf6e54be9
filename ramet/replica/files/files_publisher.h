#pragma once

#include <memory>
#include <string>

#include "ramet/replica/transport.h"

namespace ramet::files {

// Publishes TensorFlow checkpoints to a folder ("DIR" or "DIR/PREFIX", see docs/replicas-files.md).
// They are named PREFIX-STEP; if the step does not grow, the number is one more than the last one.
// Publish passes the values to a thread that writes them and returns at once. If that thread is
// still writing the previous version, Publish skips the new one or waits, as `retention` says. An
// error while writing is returned by the next Publish. `access` has no effect; the permissions of
// the folder apply.
// \error kAlreadyExists: there is a publisher for this folder and prefix.
// \error as for the file operations.
StatusOr<std::unique_ptr<PublisherTransport>> OpenPublisher(const std::string& address,
                                                            Announcement announcement,
                                                            const RetentionOptions& retention,
                                                            const AccessOptions& access);

}  // namespace ramet::files
