#pragma once

#include <memory>
#include <string>

#include "ramet/replica/transport.h"

namespace ramet::files {

// Publishes as TensorFlow checkpoints in a folder ("DIR" or "DIR/PREFIX", docs/replicas-files.md):
// PREFIX-STEP, or one more than the last number where the step does not grow. A thread of its own
// writes; Publish returns at once, unless the version before is still being written (then it skips
// or waits, as `retention` says). That a version could not be written is said by the next Publish.
// `access` has no effect: who may read is a matter of the folder.
// \error kAlreadyExists if somebody publishes there; those of the folder.
StatusOr<std::unique_ptr<PublisherTransport>> OpenPublisher(const std::string& address,
                                                            Announcement announcement,
                                                            const RetentionOptions& retention,
                                                            const AccessOptions& access);

}  // namespace ramet::files
