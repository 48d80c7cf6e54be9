#pragma once

#include "ramet/replica/redis/asking.h"
#include "ramet/replica/redis/seen_state.h"
#include "ramet/replica/redis/server.h"

namespace ramet::redis {

// Sends a request to the publisher of `request.epoch` and waits for its answer. Sets the request's
// id.
// \error kUnavailable: the publisher is not there, or the server cannot be reached.
// \error kDeadlineExceeded: the publisher does not answer by `deadline`.
// \error kCancelled: `seen` was interrupted.
// \error as answered by the publisher.
StatusOr<Answer> AskPublisher(const Server& server, SeenState& seen, Request request,
                              Clock::time_point deadline);

}  // namespace ramet::redis
