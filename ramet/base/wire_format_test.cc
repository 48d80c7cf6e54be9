#include "ramet/base/wire_format.h"

#include <gtest/gtest.h>

#include "ramet/base/utf8.h"

namespace ramet {
namespace {

std::string Group(uint32_t number, const std::string& content) {
  std::string bytes;
  AppendVarint64(&bytes, uint64_t{number} << 3 | 3);
  bytes += content;
  AppendVarint64(&bytes, uint64_t{number} << 3 | 4);
  return bytes;
}

bool Takes(std::string_view bytes, WireField* field) {
  return TakeField(&bytes, field) && bytes.empty();
}

bool Takes(std::string_view bytes) {
  WireField field;
  return Takes(bytes, &field);
}

TEST(WireFormat, FieldsOfEveryType) {
  std::string bytes;
  AppendBytesField(&bytes, 300, "content");
  WireField field;
  ASSERT_TRUE(Takes(bytes, &field));
  EXPECT_TRUE(field.Is(300));
  EXPECT_EQ(field.bytes, "content");
  EXPECT_EQ(field.whole, bytes);
  ASSERT_TRUE(Takes("\x08\x96\x01", &field));
  EXPECT_EQ(field.number, 1u);
  EXPECT_EQ(field.type, WireType::kVarint);
  EXPECT_FALSE(field.Is(1));
  EXPECT_TRUE(
      Takes("\x09"
            "12345678"));
  EXPECT_TRUE(
      Takes("\x0D"
            "1234"));
  ASSERT_TRUE(Takes(Group(7, bytes + Group(8, "") + "\x08\x01"), &field));
  EXPECT_EQ(field.type, WireType::kStartGroup);
  EXPECT_EQ(field.number, 7u);
}

TEST(WireFormat, RefusesInvalidFields) {
  EXPECT_FALSE(Takes(""));
  EXPECT_FALSE(Takes(std::string("\x00\x01", 2)));  // field 0
  EXPECT_FALSE(Takes("\x0A\x05wxyz"));              // one byte short
  EXPECT_FALSE(Takes("\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"));
  EXPECT_FALSE(Takes("\x08\x96"));
  EXPECT_FALSE(
      Takes("\x09"
            "1234567"));
  EXPECT_FALSE(Takes("\x0E"));                      // wire type 6
  EXPECT_FALSE(Takes("\x0C"));                      // the end of a group that was not started
  EXPECT_FALSE(Takes("\x0B"));                      // a group without an end
  EXPECT_FALSE(Takes("\x0B\x14"));                  // the end of a different group
  EXPECT_FALSE(Takes("\x80\x80\x80\x80\x80\x01"));  // a tag of more than 32 bits
}

TEST(WireFormat, GroupsNestAHundredDeep) {
  std::string nested;
  for (int i = 0; i < 100; ++i) nested = Group(1, nested);
  EXPECT_TRUE(Takes(nested));
  EXPECT_FALSE(Takes(Group(1, nested)));
  EXPECT_FALSE(Takes(std::string(1 << 20, '\x0B')));
}

TEST(Utf8, MatchesRfc3629) {
  for (const char* good : {"", "abc", "\x7F", "\xC2\x80", "\xE2\x82\xAC", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(IsUtf8(good)) << good;
  }
  for (const char* bad : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80",
                          "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xE2\x82", "a\xFFz"}) {
    EXPECT_FALSE(IsUtf8(bad)) << bad;
  }
  std::string text;
  for (uint32_t code : {0x41u, 0xE9u, 0x20ACu, 0x1F600u}) AppendUtf8(code, &text);
  EXPECT_EQ(text, "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
}

}  // namespace
}  // namespace ramet
