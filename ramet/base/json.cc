#include "ramet/base/json.h"

#include <algorithm>

namespace ramet {
namespace {

// Returns the nesting depth of brackets outside of strings. The text need not be valid JSON.
int NestingDepth(std::string_view text) {
  int depth = 0, deepest = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string) {
      if (c == '\\') ++i;
      continue;
    }
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if (c == ']' || c == '}') --depth;
  }
  return deepest;
}

}  // namespace

StatusOr<Json> ParseJson(std::string_view text) {
  if (NestingDepth(text) > kMaxJsonDepth) {
    return InvalidArgument("JSON text is nested more than ", kMaxJsonDepth, " levels deep");
  }
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return InvalidArgument("the text is not JSON");
  return json;
}

std::string PrintJson(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ramet
