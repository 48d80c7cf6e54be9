#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ramet/base/status.h"

// What publisher and follower say to each other over their socket, as lines of text
// (docs/formats/shm.md).
namespace ramet::shm {

// The publisher's first packet; with it go the descriptors of signature, graph, table and the
// follower's control block, in this order. Packets "segment NUMBER BYTES" follow, with one each.
struct Hello {
  uint64_t epoch = 0;
  uint64_t num_variables = 0;
  uint64_t signature_bytes = 0;
  uint64_t graph_bytes = 0;  // 0: no graph is published
  uint64_t table_bytes = 0;
  uint64_t num_segments = 0;
};

std::string HelloToText(const Hello& hello);
// \error kInvalidArgument if it is none; kPermissionDenied, kResourceExhausted when the publisher
// refuses; kFailedPrecondition for another layout.
StatusOr<Hello> ParseHello(std::string_view text);

struct SegmentNotice {
  uint64_t number = 0;
  uint64_t bytes = 0;
};
// \error kInvalidArgument if it is none.
StatusOr<SegmentNotice> ParseSegment(std::string_view text);

// What a follower asks for: "ask NUMBER VERB ARGUMENTS". The number comes back with the answer,
// which may come after other packets.
struct Request {
  uint64_t number = 0;
  std::string verb = {};   // promote, rollback, status, hashes, takeover
  uint64_t version = 0;    // of promote, rollback, hashes
  std::string label = {};  // of promote
};
std::string RequestToText(const Request& request);
// \error kInvalidArgument if it is none.
StatusOr<Request> ParseRequest(std::string_view text);

// The publisher's answer: "answer NUMBER ok TEXT", or "answer NUMBER error CODE MESSAGE".
struct Answer {
  uint64_t number = 0;
  StatusOr<std::string> text = std::string();
};
// An answer that is too long for a packet becomes an error.
std::string AnswerToText(const Answer& answer);
bool IsAnswer(std::string_view text);
// \error kInvalidArgument if it is none.
StatusOr<Answer> ParseAnswer(std::string_view text);

}  // namespace ramet::shm
