#pragma once

#include <ramet/ramet.h>

#include <string_view>

#include "model/model_version.h"
#include "proto/pieces.h"

namespace server {

// A Call is one unary call that a handler answers with exactly one Finish, in its own thread or a
// different one. The call ends with it.
class Call {
 public:
  virtual ~Call() = default;
  // Returns the bytes of the request's message. They are valid until Finish.
  virtual std::string_view request() const = 0;
  // The client's deadline, and a token that is cancelled when the client cancels the call.
  virtual const RunLimits& limits() const = 0;
  // Answers. `answered_by` may be null; it goes into the trailing metadata.
  virtual void Finish(const Pieces& response, const AnsweredBy* answered_by) = 0;
  // Fails. Messages of more than 1024 bytes are cut.
  virtual void Finish(const ramet::Status& error) = 0;
};

}  // namespace server
