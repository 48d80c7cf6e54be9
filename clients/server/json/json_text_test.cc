#include "json/json_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "json/base64.h"

namespace server {
namespace {

std::string Quoted(std::string_view text) {
  std::string out;
  AppendJsonString(text, &out);
  return out;
}

TEST(JsonTextTest, Strings) {
  EXPECT_EQ(Quoted("a\"b\\c\n\r\t\x01\x1f\x7f/"), "\"a\\\"b\\\\c\\n\\r\\t\\u0001\\u001f\\u007f/\"");
  EXPECT_EQ(Quoted("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"),
            "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"");
  EXPECT_EQ(Quoted("a\xff\xC3"), "\"a\xEF\xBF\xBD\xEF\xBF\xBD\"");
  EXPECT_EQ(Quoted(std::string("\0", 1)), "\"\\u0000\"");
}

TEST(JsonTextTest, Utf8) {
  EXPECT_TRUE(IsUtf8("a\xC3\xA9\xED\x9F\xBF\xF4\x8F\xBF\xBF"));
  for (const char* bad :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xC3", "\xE2\x82", "\xC3("}) {
    EXPECT_FALSE(IsUtf8(bad)) << bad;
  }
}

TEST(JsonTextTest, WriterPlacesCommas) {
  std::string out;
  JsonWriter json(&out);
  json.StartObject().Key("a").StartArray().Int(-1).Uint(2).Double(0.5).EndArray();
  json.Key("b")
      .StartObject()
      .EndObject()
      .Key("c")
      .Bool(true)
      .Key("d")
      .Double(std::numeric_limits<double>::infinity())
      .EndObject();
  EXPECT_EQ(out, R"({"a":[-1,2,0.5],"b":{},"c":true,"d":null})");
}

TEST(JsonTextTest, Errors) { EXPECT_EQ(ErrorBody("a\"b"), R"({"error": "a\"b"})"); }

TEST(Base64Test, RoundTrips) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    std::string text;
    AppendBase64(bytes, &text);
    EXPECT_EQ(text.size() % 4, 0u);
    EXPECT_EQ(DecodeBase64(text), bytes);
    while (text.ends_with('=')) text.pop_back();
    EXPECT_EQ(DecodeBase64(text), bytes);
    bytes += static_cast<char>(i * 37);
  }
}

TEST(Base64Test, RefusesWhatIsMalformed) {
  for (const char* bad :
       {"A", "AAAAA", "A===", "====", "AA=A", "A A=", "AA-_", "AAA==", "\xff\xff"}) {
    EXPECT_FALSE(DecodeBase64(bad)) << bad;
  }
  EXPECT_EQ(DecodeBase64(""), "");
}

}  // namespace
}  // namespace server
