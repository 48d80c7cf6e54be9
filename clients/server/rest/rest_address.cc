#include "rest/rest_address.h"

#include <algorithm>
#include <optional>

#include "config/ascii_case.h"

namespace server {
namespace {

bool IsDigits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Splits a path at slashes and takes one part after the other.
class PathParts {
 public:
  explicit PathParts(std::string_view path) : rest_(path) {}
  bool empty() const { return rest_.empty(); }
  // Takes "/part" if the part equals `expected`, in any case.
  bool Take(std::string_view expected) {
    const std::string_view part = First();
    if (rest_.empty() || !EqualsIgnoringCase(part, expected)) return false;
    Remove(part);
    return true;
  }
  // Takes "/part" if the part is not empty and has no colon.
  std::optional<std::string_view> TakeName() {
    const std::string_view part = First();
    if (part.empty() || part.find(':') != std::string_view::npos) return std::nullopt;
    Remove(part);
    return part;
  }

 private:
  std::string_view First() const {
    if (!rest_.starts_with('/')) return {};
    return rest_.substr(1, rest_.find('/', 1) - 1);
  }
  void Remove(std::string_view part) { rest_.remove_prefix(part.size() + 1); }

  std::string_view rest_;
};

std::optional<RestVerb> VerbOf(std::string_view text) {
  if (text == "predict") return RestVerb::kPredict;
  if (text == "classify") return RestVerb::kClassify;
  if (text == "regress") return RestVerb::kRegress;
  return std::nullopt;
}

ramet::Status Malformed(std::string_view method, std::string_view target) {
  std::string_view hint =
      "; expected POST /v1/models/NAME[/versions/N or /labels/LABEL]:predict, "
      ":classify or :regress";
  if (method != "POST") {
    hint =
        "; expected GET /v1/models/NAME[/versions/N or /labels/LABEL][/metadata], or POST with "
        ":predict, :classify or :regress";
  }
  return ramet::InvalidArgument("Malformed request: ", method, " ", target, hint);
}

// Parses the number after /versions/.
ramet::Status SetVersion(std::string_view digits, ModelSpec* spec) {
  int64_t version = 0;
  if (!ParseDigits(digits, &version)) {
    return ramet::InvalidArgument("Failed to convert version: ", digits, " to numeric.");
  }
  spec->version = version;
  return ramet::OkStatus();
}

// Parses NAME[/versions/N or /labels/LABEL]. Returns false if there is something else.
bool TakeSpec(PathParts* parts, ModelSpec* spec, ramet::Status* status) {
  const auto name = parts->TakeName();
  if (!name) return false;
  spec->name = DecodePercent(*name);
  if (parts->Take("versions")) {
    const auto digits = parts->TakeName();
    if (!digits || !IsDigits(*digits)) return false;
    *status = SetVersion(*digits, spec);
  } else if (parts->Take("labels")) {
    const auto label = parts->TakeName();
    if (!label) return false;
    spec->label = DecodePercent(*label);
  }
  return true;
}

ramet::StatusOr<RestAddress> ParsePost(std::string_view target) {
  const size_t colon = target.rfind(':');
  if (colon == std::string_view::npos) return Malformed("POST", target);
  const auto verb = VerbOf(target.substr(colon + 1));
  RestAddress address;
  PathParts parts(target.substr(0, colon));
  ramet::Status status;
  const bool matches = verb && parts.Take("v1") && parts.Take("models") &&
                       TakeSpec(&parts, &address.spec, &status) && parts.empty();
  if (!matches) return Malformed("POST", target);
  RAMET_RETURN_IF_ERROR(status);
  address.verb = *verb;
  return address;
}

ramet::StatusOr<RestAddress> ParseGet(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  const bool has_query = path.size() < target.size();
  RestAddress address = {.verb = RestVerb::kList};
  PathParts parts(path);
  if (!parts.Take("v1") || !parts.Take("models")) return Malformed("GET", target);
  if (parts.empty()) return address;
  address.verb = RestVerb::kStatus;
  ramet::Status status;
  if (!TakeSpec(&parts, &address.spec, &status)) return Malformed("GET", target);
  if (parts.Take("metadata")) address.verb = RestVerb::kMetadata;
  const bool query_allowed = address.verb == RestVerb::kStatus && !address.spec.version;
  if (!parts.empty() || (has_query && !query_allowed)) return Malformed("GET", target);
  RAMET_RETURN_IF_ERROR(status);
  return address;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string DecodePercent(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 &&
                         HexDigit(text[i + 2]) >= 0;
    if (escaped) {
      decoded += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

bool ParseDigits(std::string_view text, int64_t* number) {
  return IsDigits(text) && ramet::ParseInt64(text, number);
}

ramet::StatusOr<RestAddress> ParseRestAddress(std::string_view method, std::string_view target) {
  if (method == "GET") return ParseGet(target);
  if (method == "POST") return ParsePost(target);
  return Malformed(method, target);
}

}  // namespace server
