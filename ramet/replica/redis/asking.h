#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ramet/replica/transport.h"

// Requests of followers to a publisher, sent through the server. A follower pushes its request to a
// list, and the publisher writes the answer to a separate key. Both are JSON.
namespace ramet::redis {

struct Request {
  std::string id;         // names the answer's key
  std::string verb = {};  // promote, rollback, hashes, status
  uint64_t version = 0;
  std::string label = {};
  uint64_t epoch = 0;  // of the publisher that the request is for; 0: any
};

struct Answer {
  Status status = {};
  uint64_t version = 0;       // result of rollback
  VersionHashes hashes = {};  // result of hashes
  std::string stats = {};     // result of status
};

std::string NewRequestId();
std::string RequestText(const Request& request);
// \error kInvalidArgument: `text` is not a request.
StatusOr<Request> ParseRequest(std::string_view text);
std::string AnswerText(const Answer& answer);
// \error kDataLoss: `text` is not an answer.
StatusOr<Answer> ParseAnswer(std::string_view text);

}  // namespace ramet::redis
