#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ramet/base/status.h"

// The messages between publisher and follower on their socket, as lines of text (see
// docs/formats/shm.md).
namespace ramet::shm {

// The publisher's first packet. It carries the descriptors of the signature, the graph, the table
// and the follower's control block, in this order. Packets "segment NUMBER BYTES" follow, each with
// one descriptor.
struct Hello {
  uint64_t epoch = 0;
  uint64_t num_variables = 0;
  uint64_t signature_bytes = 0;
  uint64_t graph_bytes = 0;  // 0: no graph is published
  uint64_t table_bytes = 0;
  uint64_t num_segments = 0;
};

std::string HelloToText(const Hello& hello);
// \error kInvalidArgument: `text` is not a greeting.
// \error kPermissionDenied: the publisher refuses this user.
// \error kResourceExhausted: the publisher has no room for another follower.
// \error kFailedPrecondition: the publisher uses a different layout.
StatusOr<Hello> ParseHello(std::string_view text);

struct SegmentNotice {
  uint64_t number = 0;
  uint64_t bytes = 0;
};
// \error kInvalidArgument: `text` is not such a notice.
StatusOr<SegmentNotice> ParseSegment(std::string_view text);

// A packet that brings a block of device memory to a follower that asked for it ("device"): "device
// NUMBER BYTES KEY", with the block's descriptor.
struct DeviceNotice {
  uint64_t number = 0;
  uint64_t bytes = 0;
  std::string key = {};  // MemorySharer::sharing_key
};
std::string DeviceNoticeToText(const DeviceNotice& notice);
bool IsDeviceNotice(std::string_view text);
// \error kInvalidArgument: `text` is not such a notice.
StatusOr<DeviceNotice> ParseDeviceNotice(std::string_view text);

// A follower's request: "ask NUMBER VERB ARGUMENTS". The answer repeats the number. Other packets
// may come before the answer.
struct Request {
  uint64_t number = 0;
  std::string verb = {};   // promote, rollback, status, hashes, takeover, device
  uint64_t version = 0;    // for promote, rollback and hashes
  std::string label = {};  // for promote; for device: the key of the follower's device
};
std::string RequestToText(const Request& request);
// \error kInvalidArgument: `text` is not a request.
StatusOr<Request> ParseRequest(std::string_view text);

// The publisher's answer: "answer NUMBER ok TEXT", or "answer NUMBER error CODE MESSAGE".
struct Answer {
  uint64_t number = 0;
  StatusOr<std::string> text = std::string();
};
// Replaces an answer that is too long for a packet by an error.
std::string AnswerToText(const Answer& answer);
bool IsAnswer(std::string_view text);
// \error kInvalidArgument: `text` is not an answer.
StatusOr<Answer> ParseAnswer(std::string_view text);

}  // namespace ramet::shm
