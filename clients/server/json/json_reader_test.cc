#include "json/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace server {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Kind = JsonEvent::Kind;

// Writes the events as text.
class Recorder : public JsonHandler {
 public:
  bool OnEvent(const JsonEvent& event) override {
    constexpr const char* kNames[] = {"null ", "bool ", "", "'", "key ", "{ ", "} ", "[ ", "] "};
    text += kNames[static_cast<int>(event.kind)];
    text += event.text;
    if (event.kind == Kind::kEndArray) text += std::to_string(event.count) + " ";
    if (!event.text.empty()) text += ' ';
    return ++events != limit;
  }
  std::string text = {};
  int events = 0, limit = 0;
};

std::string Events(std::string_view json) {
  Recorder recorder;
  const ramet::Status status = ReadJson(json, &recorder);
  return recorder.text + std::string(status.message());
}

TEST(JsonReaderTest, ReadsValues) {
  EXPECT_EQ(Events(R"({"a": [1, -2.5e+3, "x\u00e9\n", true, null], "b": {}})"),
            "{ key a [ 1 -2.5e+3 'x\xC3\xA9\n bool null ] 5 key b { } } ");
  EXPECT_EQ(Events("[NaN, Infinity, -Infinity, Inf, -Inf]"),
            "[ NaN Infinity -Infinity Inf -Inf ] 5 ");
  EXPECT_EQ(Events(" 7 "), "7 ");
}

TEST(JsonReaderTest, IgnoresWhatFollowsTheValue) { EXPECT_EQ(Events("{} ]]] rubbish"), "{ } "); }

TEST(JsonReaderTest, ReportsTheOffsetOfErrors) {
  EXPECT_EQ(Events(""), "JSON Parse error: The document is empty");
  EXPECT_THAT(Events("  "), HasSubstr("JSON Parse error: The document is empty. at offset: 2"));
  EXPECT_THAT(Events("{\"a\": 1,}"),
              HasSubstr("JSON Parse error: Missing a name for object member. at offset: 8"));
  EXPECT_THAT(Events("[1 2]"), testing::AllOf(HasSubstr("JSON Parse error: Missing a comma or "),
                                              HasSubstr("at offset: 3")));
  for (const char* bad : {"{", "[", "[1", "\"a", "{\"a\"", "{\"a\":", "[01]", "[1.]", "[1e]", "[-]",
                          "nul", "[NaM]", "[\"\\x\"]", "[\"\\u12\"]", "'a'", "[\"\\ud800\"]"}) {
    EXPECT_THAT(Events(bad), HasSubstr("JSON Parse error: ")) << bad;
  }
}

TEST(JsonReaderTest, NumbersMayBeLongButNotTooLarge) {
  const std::string digits(100'000, '7');
  EXPECT_EQ(Events("0." + digits), "0." + digits + " ");
  EXPECT_THAT(Events("1e999"), HasSubstr("Number too big to be stored in double. at offset: "));
  EXPECT_EQ(Events("1e-99999999999"), "1e-99999999999 ");
}

TEST(JsonReaderTest, DeepNestingIsRefused) {
  for (const char open : {'[', '{'}) {
    const std::string json(500'000, open);
    EXPECT_THAT(Events(json), HasSubstr("JSON Parse error: ")) << open;
  }
  const std::string nested = std::string(500'000, '[') + std::string(500'000, ']');
  EXPECT_THAT(Events(nested), HasSubstr("nested more than 512 levels deep at offset: 512"));
  const std::string fits = std::string(kMaxJsonDepth, '[') + std::string(kMaxJsonDepth, ']');
  EXPECT_THAT(Events(fits), StartsWith("[ [ "));
  std::string objects;
  for (int i = 0; i < 500'000; ++i) objects += "{\"a\":";
  EXPECT_THAT(Events(objects), HasSubstr("nested more than"));
}

TEST(JsonReaderTest, BytesThatAreNotUtf8ArePassedOn) {
  EXPECT_EQ(Events("\"a\xff\xfe\""), "'a\xff\xfe ");
}

TEST(JsonReaderTest, HandlersMayStop) {
  Recorder recorder;
  recorder.limit = 2;
  EXPECT_TRUE(ReadJson("[1, 2, 3", &recorder).ok());
  EXPECT_EQ(recorder.text, "[ 1 ");
}

TEST(JsonReaderTest, EveryPrefixOfATextEndsInAnError) {
  const std::string json = R"({"instances": [{"a": [1.5, NaN], "b": {"b64": "AA\u0041="}}]})";
  for (size_t size = 0; size < json.size(); ++size) {
    EXPECT_THAT(Events(json.substr(0, size)), HasSubstr("JSON Parse error: ")) << size;
  }
}

TEST(JsonReaderTest, QuotesValues) {
  const std::string json = R"({"a" : [1, {"x": "]\"}"}], "b": 12, "c": "y,z"})";
  EXPECT_EQ(QuoteValue(json, 4), R"([1, {"x": "]\"}"}])");
  EXPECT_EQ(QuoteValue(json, json.find("12") - 1), "12");
  EXPECT_EQ(QuoteValue(json, json.find("\"y,z") - 2), "\"y,z\"");
  EXPECT_EQ(QuoteValue(json, json.size()), "");
  EXPECT_EQ(QuoteValue(std::string(1000, '['), 0).size(), 256u);
}

}  // namespace
}  // namespace server
