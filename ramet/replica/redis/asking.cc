#include "ramet/replica/redis/asking.h"

#include <algorithm>
#include <random>

#include "ramet/base/json.h"
#include "ramet/base/strings.h"

namespace ramet::redis {
namespace {

constexpr size_t kIdDigits = 32;

std::string TextOf(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

uint64_t NumberOf(const Json& json, const char* name, uint64_t otherwise = 0) {
  const auto found = json.find(name);
  return found != json.end() && found->is_number_unsigned() ? found->get<uint64_t>() : otherwise;
}

bool IsId(std::string_view id) {
  return id.size() == kIdDigits && id.find_first_not_of("0123456789abcdef") == id.npos;
}

}  // namespace

std::string NewRequestId() {
  std::random_device random;
  std::string id(kIdDigits, '0');
  for (char& digit : id) digit = "0123456789abcdef"[random() % 16];
  return id;
}

std::string RequestText(const Request& request) {
  return PrintJson({{"id", request.id},
                    {"verb", request.verb},
                    {"version", request.version},
                    {"label", request.label},
                    {"epoch", request.epoch}});
}

StatusOr<Request> ParseRequest(std::string_view text) {
  RAMET_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  if (!json.is_object()) return InvalidArgument("a request is not a JSON object");
  Request request{TextOf(json, "id"), TextOf(json, "verb"), NumberOf(json, "version"),
                  TextOf(json, "label"), NumberOf(json, "epoch")};
  if (!IsId(request.id)) return InvalidArgument("a request has no id");
  return request;
}

std::string AnswerText(const Answer& answer) {
  return PrintJson({{"code", static_cast<int>(answer.status.code())},
                    {"message", answer.status.message()},
                    {"version", answer.version},
                    {"source", answer.hashes.source},
                    {"content", answer.hashes.content},
                    {"stats", answer.stats}});
}

StatusOr<Answer> ParseAnswer(std::string_view text) {
  const StatusOr<Json> parsed = ParseJson(text);
  const uint64_t no_code = UINT64_MAX;
  if (!parsed.ok() || !parsed->is_object() || NumberOf(*parsed, "code", no_code) == no_code) {
    return DataLoss("the publisher's answer is damaged");
  }
  const Json& json = *parsed;
  Answer answer;
  const uint64_t code = NumberOf(json, "code");
  if (code > static_cast<uint64_t>(Code::kUnauthenticated)) {
    return DataLoss("the publisher's answer is damaged");
  }
  if (code != 0) answer.status = Status(static_cast<Code>(code), TextOf(json, "message"));
  answer.version = NumberOf(json, "version");
  answer.hashes = {TextOf(json, "source"), TextOf(json, "content")};
  answer.stats = TextOf(json, "stats");
  return answer;
}

}  // namespace ramet::redis
