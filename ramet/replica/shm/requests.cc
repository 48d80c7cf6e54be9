#include "ramet/replica/shm/requests.h"

#include <algorithm>
#include <vector>

#include "ramet/base/strings.h"
#include "ramet/replica/shm/channel.h"
#include "ramet/replica/shm/layout.h"

namespace ramet::shm {
namespace {

Status NotUnderstood(std::string_view what) {
  return InvalidArgument("the peer sent an invalid ", what);
}

bool ParseNumber(std::string_view text, uint64_t* number) {
  int64_t value = 0;
  if (!ParseInt64(text, &value) || value < 0) return false;
  *number = static_cast<uint64_t>(value);
  return true;
}

constexpr std::string_view kPromote = "promote", kDevice = "device";

bool TakesVersion(std::string_view verb) {
  return verb == kPromote || verb == "rollback" || verb == "hashes";
}

// Removes the text up to and including the next space from `*text` and returns it.
std::string_view NextWord(std::string_view* text) {
  const size_t space = std::min(text->find(' '), text->size());
  const std::string_view word = text->substr(0, space);
  text->remove_prefix(std::min(space + 1, text->size()));
  return word;
}

}  // namespace

std::string HelloToText(const Hello& h) {
  return StrCat("ramet ", kLayout, " ", h.epoch, " ", h.num_variables, " ", h.signature_bytes, " ",
                h.graph_bytes, " ", h.table_bytes, " ", h.num_segments);
}

StatusOr<Hello> ParseHello(std::string_view text) {
  if (text == "refused") {
    return PermissionDenied(
        "the publisher does not let this user follow (its mode= and group= control "
        "access)");
  }
  if (text == "full") return ResourceExhausted("the publisher has no room for another follower");
  const auto words = StrSplit(text, ' ');
  uint64_t layout = 0;
  if (words.size() < 2 || words[0] != "ramet" || !ParseNumber(words[1], &layout)) {
    return NotUnderstood("publisher's greeting");
  }
  if (layout != kLayout) {
    return FailedPrecondition("the publisher speaks layout ", layout, ", this program layout ",
                              kLayout, "; use the same release of Ramet on both sides");
  }
  Hello h;
  if (words.size() != 8 || !ParseNumber(words[2], &h.epoch) ||
      !ParseNumber(words[3], &h.num_variables) || !ParseNumber(words[4], &h.signature_bytes) ||
      !ParseNumber(words[5], &h.graph_bytes) || !ParseNumber(words[6], &h.table_bytes) ||
      !ParseNumber(words[7], &h.num_segments)) {
    return NotUnderstood("publisher's greeting");
  }
  return h;
}

StatusOr<SegmentNotice> ParseSegment(std::string_view text) {
  const auto words = StrSplit(text, ' ');
  SegmentNotice notice;
  if (words.size() != 3 || words[0] != "segment" || !ParseNumber(words[1], &notice.number) ||
      !ParseNumber(words[2], &notice.bytes)) {
    return NotUnderstood("notice of a segment");
  }
  return notice;
}

std::string DeviceNoticeToText(const DeviceNotice& notice) {
  return StrCat(kDevice, " ", notice.number, " ", notice.bytes, " ", notice.key);
}

bool IsDeviceNotice(std::string_view text) { return text.starts_with("device "); }

StatusOr<DeviceNotice> ParseDeviceNotice(std::string_view text) {
  const auto words = StrSplit(text, ' ');
  DeviceNotice notice;
  if (words.size() != 4 || words[0] != kDevice || !ParseNumber(words[1], &notice.number) ||
      !ParseNumber(words[2], &notice.bytes)) {
    return NotUnderstood("notice of device memory");
  }
  notice.key = words[3];
  return notice;
}

std::string RequestToText(const Request& r) {
  std::string text = StrCat("ask ", r.number, " ", r.verb);
  if (TakesVersion(r.verb)) text += StrCat(" ", r.version);
  if (r.verb == kPromote || r.verb == kDevice) text += StrCat(" ", r.label);
  return text;
}

StatusOr<Request> ParseRequest(std::string_view text) {
  Request r;
  if (NextWord(&text) != "ask" || !ParseNumber(NextWord(&text), &r.number)) {
    return NotUnderstood("request");
  }
  r.verb = NextWord(&text);
  if (TakesVersion(r.verb) && !ParseNumber(NextWord(&text), &r.version)) {
    return NotUnderstood("request");
  }
  if (r.verb == kPromote || r.verb == kDevice) r.label = text;
  return r;
}

std::string AnswerToText(const Answer& answer) {
  const std::string begin = StrCat("answer ", answer.number, " ");
  const Status& status = answer.text.status();
  if (!status.ok()) {
    return StrCat(begin, "error ", static_cast<int>(status.code()), " ",
                  status.message().substr(0, 1024));
  }
  std::string text = StrCat(begin, "ok ", *answer.text);
  if (text.size() <= kMaxPacketBytes) return text;
  return StrCat(begin, "error ", static_cast<int>(Code::kResourceExhausted), " the answer has ",
                answer.text->size(), " bytes, which is too long for a packet");
}

bool IsAnswer(std::string_view text) { return text.starts_with("answer "); }

StatusOr<Answer> ParseAnswer(std::string_view text) {
  Answer answer;
  if (NextWord(&text) != "answer" || !ParseNumber(NextWord(&text), &answer.number)) {
    return NotUnderstood("answer");
  }
  const std::string_view kind = NextWord(&text);
  if (kind == "ok") {
    answer.text = std::string(text);
    return answer;
  }
  uint64_t code = 0;
  if (kind != "error" || !ParseNumber(NextWord(&text), &code) || code < 1 || code > 16) {
    return NotUnderstood("answer");
  }
  answer.text = Status(static_cast<Code>(code), std::string(text));
  return answer;
}

}  // namespace ramet::shm
