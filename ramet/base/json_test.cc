#include "ramet/base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ramet {
namespace {

using ::testing::HasSubstr;

std::string Nested(int depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(JsonTest, ParsesAndPrints) {
  const StatusOr<Json> json = ParseJson(R"({"a": [1, 2.5, null], "b": "x"})");
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(PrintJson(*json), R"({"a":[1,2.5,null],"b":"x"})");
  EXPECT_EQ(PrintJson((*json)["a"], 1), "[\n 1,\n 2.5,\n null\n]");
}

TEST(JsonTest, RefusesWhatIsNotJson) {
  for (const char* text : {"", "{", "]", "[1,]", "nul", "{\"a\" 1}"}) {
    EXPECT_EQ(ParseJson(text).status().code(), Code::kInvalidArgument) << text;
  }
}

TEST(JsonTest, RefusesDeepNesting) {
  EXPECT_TRUE(ParseJson(Nested(kMaxJsonDepth)).ok());
  EXPECT_THAT(ParseJson(Nested(kMaxJsonDepth + 1)).status().message(),
              HasSubstr("nested more than 64 levels"));
  EXPECT_FALSE(ParseJson(Nested(1'000'000)).ok());
  EXPECT_FALSE(ParseJson(std::string(1'000'000, '{')).ok());
}

TEST(JsonTest, BracketsInStringsDoNotCount) {
  EXPECT_TRUE(ParseJson("[\"" + std::string(1000, '[') + "\"]").ok());
  EXPECT_TRUE(ParseJson("[\"\\\"" + std::string(1000, '{') + "\"]").ok());
  EXPECT_FALSE(ParseJson("[\"\\\\\"," + Nested(100) + "]").ok());
}

TEST(JsonTest, PrintsBytesThatAreNotUtf8) {
  EXPECT_EQ(PrintJson(Json("a\xff")), "\"a\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace ramet
