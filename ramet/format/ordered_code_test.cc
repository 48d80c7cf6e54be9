#include "ramet/format/ordered_code.h"

#include <gtest/gtest.h>

#include <vector>

namespace ramet::ordered_code {
namespace {

std::string Hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string hex;
  for (unsigned char c : bytes) hex += {kDigits[c >> 4], kDigits[c & 15]};
  return hex;
}

std::string Signed(int64_t value) {
  std::string out;
  AppendSigned(&out, value);
  return Hex(out);
}

std::string Unsigned(uint64_t value) {
  std::string out;
  AppendUnsigned(&out, value);
  return Hex(out);
}

TEST(OrderedCode, SignedNumbersAsTensorFlowWritesThem) {
  EXPECT_EQ(Signed(0), "80");
  EXPECT_EQ(Signed(1), "81");
  EXPECT_EQ(Signed(63), "BF");
  EXPECT_EQ(Signed(64), "C040");
  EXPECT_EQ(Signed(-1), "7F");
  EXPECT_EQ(Signed(-64), "40");
  EXPECT_EQ(Signed(-65), "3FBF");
  EXPECT_EQ(Signed(8191), "DFFF");
  EXPECT_EQ(Signed(8192), "E02000");
  EXPECT_EQ(Signed(1 << 20), "F0100000");
  EXPECT_EQ(Signed(int64_t{1} << 31), "F880000000");
  EXPECT_EQ(Signed(int64_t{1} << 55), "FF8080000000000000");
  EXPECT_EQ(Signed(-(int64_t{1} << 62)), "004000000000000000");
  EXPECT_EQ(Signed(INT64_MAX), "FFC07FFFFFFFFFFFFFFF");
  EXPECT_EQ(Signed(INT64_MIN), "003F8000000000000000");
}

TEST(OrderedCode, UnsignedNumbersAndStringsAsTensorFlowWritesThem) {
  EXPECT_EQ(Unsigned(0), "00");
  EXPECT_EQ(Unsigned(1), "0101");
  EXPECT_EQ(Unsigned(255), "01FF");
  EXPECT_EQ(Unsigned(256), "020100");
  EXPECT_EQ(Unsigned(UINT64_MAX), "08FFFFFFFFFFFFFFFF");
  std::string out;
  AppendString(&out, std::string_view("a\0b\xFF", 4));
  EXPECT_EQ(Hex(out), "6100FF62FF000001");
}

TEST(OrderedCode, BytesCompareAsNumbersDo) {
  std::vector<int64_t> values = {INT64_MIN, INT64_MIN + 1};
  for (int shift = 62; shift >= 0; --shift) values.push_back(-(int64_t{1} << shift));
  values.push_back(0);
  for (int shift = 0; shift < 63; ++shift) values.push_back(int64_t{1} << shift);
  values.push_back(INT64_MAX);
  for (size_t i = 1; i < values.size(); ++i) {
    EXPECT_LT(Signed(values[i - 1]), Signed(values[i])) << values[i];
  }
}

}  // namespace
}  // namespace ramet::ordered_code
