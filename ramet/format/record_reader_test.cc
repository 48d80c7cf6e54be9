#include "ramet/format/record_reader.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "ramet/base/coding.h"
#include "ramet/base/crc32c.h"
#include "ramet/base/scratch_dir.h"

namespace ramet {
namespace {

std::string Length(uint64_t size) {
  std::string bytes;
  AppendFixed32(&bytes, static_cast<uint32_t>(size));
  AppendFixed32(&bytes, static_cast<uint32_t>(size >> 32));
  return bytes;
}

std::string Record(std::string_view data) {
  std::string bytes = Length(data.size());
  AppendFixed32(&bytes, crc32c::Mask(crc32c::Value(bytes)));
  bytes += data;
  AppendFixed32(&bytes, crc32c::Mask(crc32c::Value(data)));
  return bytes;
}

class RecordReaderTest : public ::testing::Test {
 protected:
  std::unique_ptr<ByteStream> Stream(const std::string& content,
                                     FileCompression compression = FileCompression::kNone) {
    const std::string path = StrCat(dir_.path(), "/file");
    EXPECT_TRUE(AtomicWriteFile(path, content).ok());
    return ByteStream::Open(path, compression, 1).value();
  }
  ScratchDir dir_;
  std::string record_;
};

TEST_F(RecordReaderTest, ReadsRecordsThatAreLargerThanTheBuffer) {
  const std::string large(5000, 'x');
  auto stream = Stream(Record("a") + Record(large) + Record(""));
  for (const std::string& wanted : {std::string("a"), large, std::string()}) {
    ASSERT_TRUE(ReadRecord(*stream, &record_).value());
    EXPECT_EQ(record_, wanted);
  }
  EXPECT_FALSE(ReadRecord(*stream, &record_).value());
}

TEST_F(RecordReaderTest, EachCutAndEachFlippedBitIsDataLoss) {
  const std::string whole = Record("first") + Record("second");
  for (size_t size = Record("first").size() + 1; size < whole.size(); ++size) {
    auto stream = Stream(whole.substr(0, size));
    ASSERT_TRUE(ReadRecord(*stream, &record_).ok());
    EXPECT_EQ(ReadRecord(*stream, &record_).status().code(), Code::kDataLoss) << size;
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] ^= 4;
    auto stream = Stream(damaged);
    const auto first = ReadRecord(*stream, &record_);
    const auto failed = first.ok() ? ReadRecord(*stream, &record_) : first;
    EXPECT_EQ(failed.status().code(), Code::kDataLoss) << i;
  }
}

TEST_F(RecordReaderTest, ALengthBeyondTheFileAllocatesNothing) {
  std::string header = Length(uint64_t{1} << 62);
  AppendFixed32(&header, crc32c::Mask(crc32c::Value(header)));
  EXPECT_EQ(ReadRecord(*Stream(header + "short"), &record_).status().code(), Code::kDataLoss);
}

TEST_F(RecordReaderTest, ReadsCompressedFilesAndRefusesCutOnes) {
  const std::string plain = Record(std::string(3000, 'y')) + Record("z");
  std::string packed(compressBound(plain.size()), '\0');
  uLongf size = packed.size();
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                     reinterpret_cast<const Bytef*>(plain.data()), plain.size()),
            Z_OK);
  packed.resize(size);
  auto stream = Stream(packed, FileCompression::kZlib);
  EXPECT_TRUE(ReadRecord(*stream, &record_).value());
  EXPECT_TRUE(ReadRecord(*stream, &record_).value());
  EXPECT_EQ(record_, "z");
  EXPECT_FALSE(ReadRecord(*stream, &record_).value());
  auto cut = Stream(packed.substr(0, size / 2), FileCompression::kZlib);
  EXPECT_EQ(cut->Skip(UINT64_MAX).status().code(), Code::kDataLoss);
  auto noise = Stream("not compressed at all", FileCompression::kGzip);
  EXPECT_EQ(noise->Skip(1).status().code(), Code::kDataLoss);
}

TEST_F(RecordReaderTest, ReadsLinesWithAndWithoutCarriageReturns) {
  const std::string large(2000, 'l');
  auto stream = Stream(StrCat("one\r\n\n", large, "\nlast"));
  for (const std::string& wanted :
       {std::string("one"), std::string(), large, std::string("last")}) {
    ASSERT_TRUE(stream->ReadLine(&record_).value());
    EXPECT_EQ(record_, wanted);
  }
  EXPECT_FALSE(stream->ReadLine(&record_).value());
}

}  // namespace
}  // namespace ramet
