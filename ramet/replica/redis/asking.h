#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ramet/replica/transport.h"

// What followers ask of a publisher through the server: a request is put on a list, its answer is a
// key of its own. Texts are JSON.
namespace ramet::redis {

struct Request {
  std::string id;         // of the answer's key
  std::string verb = {};  // promote, rollback, hashes, status
  uint64_t version = 0;
  std::string label = {};
  uint64_t epoch = 0;  // of the publisher that is asked; 0: any
};

struct Answer {
  Status status = {};
  uint64_t version = 0;       // of rollback
  VersionHashes hashes = {};  // of hashes
  std::string stats = {};     // of status
};

std::string NewRequestId();
std::string RequestText(const Request& request);
// \error kInvalidArgument if it is none.
StatusOr<Request> ParseRequest(std::string_view text);
std::string AnswerText(const Answer& answer);
// \error kDataLoss if it is none.
StatusOr<Answer> ParseAnswer(std::string_view text);

}  // namespace ramet::redis
