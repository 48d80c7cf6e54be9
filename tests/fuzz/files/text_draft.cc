#include "text_draft.h"

#include <cstdio>

#include "ramet/base/strings.h"
#include "spoil.h"
#include "values.h"

namespace ramet::fuzz {

std::string JsonString(Random& random, const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    char escaped[8];
    std::snprintf(escaped, sizeof(escaped), "\\u%04x", byte);
    const bool must = byte < 0x20 || c == '"' || c == '\\';
    json += (must && random.Percent(98)) || (byte < 0x80 && random.Percent(2)) ? escaped
                                                                               : std::string(1, c);
  }
  if (random.Percent(2)) json += random.Pick({"\\ud800", "\\ud83d\\ude00", "\\x", "\\", "\\u00"});
  return json + "\"";
}

std::string JsonNumber(Random& random, int64_t right, int lies_percent) {
  if (!random.Percent(lies_percent)) return std::to_string(right);
  switch (random.Below(8)) {
    case 0: return std::to_string(right) + ".0";
    case 1: return std::to_string(right) + "e0";
    case 2:
      return random.Pick({"-0", "1e400", "-1", "18446744073709551615", "1e-400",
                          "18446744073709551616", "9223372036854775808", "00", "NaN"});
    case 3: return std::string(static_cast<size_t>(random.In(1, 3000)), '9');
    case 4: return JsonValue(random);
    default: return std::to_string(LyingNumber(random, right));
  }
}

std::string JsonValue(Random& random) {
  const auto deep = [&](const char* open, const char* close) {
    std::string text;
    const int64_t depth = random.Pick({1, 2, 50, 600, 20'000});
    for (int64_t i = 0; i < depth; ++i) text += open;
    for (int64_t i = 0; i < depth && close[0] != '\0'; ++i) text += close;
    return text;
  };
  switch (random.Below(9)) {
    case 0: return deep("[", "]");
    case 1:
      return deep("{\"a\":", "") + "1" + std::string(static_cast<size_t>(random.Below(60)), '}');
    case 2: return deep("[", "");
    case 3: return random.Pick({"null", "true", "false", "{}", "[]", "\"\"", "", ",", "[1,]"});
    case 4: return JsonString(random, DrawString(random));
    case 5: return StrCat("[", JsonNumber(random, 1, 50), ",", JsonNumber(random, 2, 50), "]");
    case 6: return "{\"a\":1,\"a\":2}";
    case 7: return "[" + std::string(static_cast<size_t>(random.Below(50'000)), ' ') + "]";
    default: return JsonNumber(random, random.In(0, 9), 50);
  }
}

}  // namespace ramet::fuzz
