#include "ramet/data/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include "ramet/base/file.h"
#include "ramet/base/scratch_dir.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Header(std::vector<uint32_t> dims, char type = 8) {
  std::string header = {0, 0, type, static_cast<char>(dims.size())};
  for (uint32_t dim : dims) {
    for (int shift : {24, 16, 8, 0}) header += static_cast<char>(dim >> shift);
  }
  return header;
}

std::string Gzip(const std::string& plain) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, plain.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

void ExpectDataLoss(const std::string& content, const std::string& message) {
  Status status = ParseIdx(content, "the-file").status();
  EXPECT_TRUE(IsDataLoss(status)) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr("file 'the-file'"));
  EXPECT_THAT(status.message(), HasSubstr(message));
}

TEST(Idx, ReadsPlainAndGzip) {
  std::string plain = Header({2, 3}) + "abcdef";
  for (const std::string& content : {plain, Gzip(plain)}) {
    IdxArray array = ParseIdx(content, "x").value();
    EXPECT_THAT(array.shape, ElementsAre(2, 3));
    EXPECT_EQ(std::string(array.data.begin(), array.data.end()), "abcdef");
  }
}

TEST(Idx, ReadsMoreThanOnePiece) {
  std::string data(1000000, '\0');
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(i * i >> 5);
  std::string plain = Header({1000, 1000}) + data;
  for (const std::string& content : {plain, Gzip(plain)}) {
    IdxArray array = ParseIdx(content, "x").value();
    EXPECT_TRUE(std::equal(array.data.begin(), array.data.end(), data.begin(), data.end(),
                           [](uint8_t a, char b) { return a == static_cast<uint8_t>(b); }));
  }
}

TEST(Idx, NoElements) {
  IdxArray array = ParseIdx(Header({0, 28, 28}), "x").value();
  EXPECT_THAT(array.shape, ElementsAre(0, 28, 28));
  EXPECT_THAT(array.data, IsEmpty());
}

TEST(Idx, GzipMembersFollowEachOther) {
  std::string plain = Header({6}) + "abcdef";
  std::string two = Gzip(plain.substr(0, 9)) + Gzip(plain.substr(9)) + std::string(5, '\0');
  EXPECT_EQ(ParseIdx(two, "x").value().data.size(), 6u);
}

TEST(Idx, FromAFile) {
  ScratchDir dir;
  ASSERT_TRUE(AtomicWriteFile(dir / "f", Header({2}) + "ab").ok());
  EXPECT_THAT(ReadIdx(dir / "f").value().data, ElementsAre('a', 'b'));
  Status missing = ReadIdx(dir / "g").status();
  EXPECT_TRUE(IsNotFound(missing));
  EXPECT_THAT(missing.message(), HasSubstr(dir / "g"));
}

TEST(Idx, APipeIsNotWaitedFor) {
  ScratchDir dir;
  ASSERT_EQ(mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(IsFailedPrecondition(ReadIdx(dir / "pipe").status()));
}

TEST(Idx, WrongMagic) {
  ExpectDataLoss("PK\3\4 something else", "offset 0: not an IDX file: magic number 0x504b0304");
  ExpectDataLoss(std::string("\0\0\x08\0", 4), "offset 0: not an IDX file");
  Status floats = ParseIdx(Header({1}, 0x0D) + "abcd", "the-file").status();
  EXPECT_TRUE(IsUnimplemented(floats));
  EXPECT_THAT(floats.message(), HasSubstr("file 'the-file': offset 2: element type 0x0d"));
}

TEST(Idx, Truncated) {
  std::string whole = Header({2, 3}) + "abcdef";
  ExpectDataLoss("", "offset 0: truncated");
  ExpectDataLoss(whole.substr(0, 3), "offset 0: truncated");
  ExpectDataLoss(whole.substr(0, 10), "offset 8: truncated");
  ExpectDataLoss(whole.substr(0, 17), "offset 17: truncated: 6 bytes of elements expected");
  ExpectDataLoss(Gzip(whole.substr(0, 17)), "offset 17: truncated: 6 bytes of elements expected");
  ExpectDataLoss(Header({0xFFFFFFFF, 28, 28}) + "a",
                 "truncated: the dimensions [4294967295,28,28]");
}

TEST(Idx, EveryCutOfAGzipFileIsAnError) {
  std::string whole = Gzip(Header({200}) + std::string(100, 'a') + std::string(100, 'b'));
  for (size_t n = 0; n < whole.size(); ++n) {
    EXPECT_TRUE(IsDataLoss(ParseIdx(whole.substr(0, n), "x").status())) << n;
  }
}

TEST(Idx, AFlippedBitOfAGzipBodyNeverGivesOtherElements) {
  std::string whole = Gzip(Header({20}) + "some bytes to pack..");
  std::vector<uint8_t> data = ParseIdx(whole, "x").value().data;
  constexpr size_t kGzipHeader = 10;
  int errors = 0;
  for (size_t bit = 8 * kGzipHeader; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
    StatusOr<IdxArray> array = ParseIdx(damaged, "x");
    if (array.ok()) {
      EXPECT_EQ(array->data, data) << bit;
    }
    errors += !array.ok();
  }
  // Flips in the padding bits of the deflate stream's last byte are the only ones without an
  // effect.
  EXPECT_GE(errors, static_cast<int>(8 * (whole.size() - kGzipHeader)) - 7);
}

TEST(Idx, DimensionsThatOverflow) {
  ExpectDataLoss(Header({0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}), "overflows 63 bits");
  ExpectDataLoss(Header({0, 0xFFFFFFFF, 0xFFFFFFFF}), "overflows 63 bits");
  ExpectDataLoss(Header(std::vector<uint32_t>(255, 0x10000)), "overflows 63 bits");
}

TEST(Idx, BytesLeftOver) {
  ExpectDataLoss(Header({2}) + "abc", "offset 10: bytes left over");
  ExpectDataLoss(Gzip(Header({2}) + "abc"), "offset 10: bytes left over");
  ExpectDataLoss(Gzip(Header({2}) + "ab") + Gzip("c"), "offset 10: bytes left over");
  ExpectDataLoss(Gzip(Header({2}) + "ab") + "junk", "damaged gzip stream");
}

TEST(Idx, AGzipBombIsLimitedByItsHeader) {
  std::string bomb = Gzip(Header({4}) + std::string(50 << 20, '\0'));
  ASSERT_LT(bomb.size(), 100000u);
  ExpectDataLoss(bomb, "offset 12: bytes left over");
}

}  // namespace
}  // namespace ramet
