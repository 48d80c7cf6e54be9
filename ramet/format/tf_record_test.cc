#include "ramet/format/tf_record.h"

#include <gtest/gtest.h>

#include "ramet/base/file.h"
#include "ramet/base/scratch_dir.h"

namespace ramet {
namespace {

TEST(TFRecordTest, ReadsWhatItWrote) {
  ScratchDir dir;
  const std::string path = StrCat(dir.path(), "/records");
  std::string file;
  for (const char* record : {"one", "", "three"}) AppendTFRecord(record, &file);
  ASSERT_TRUE(AtomicWriteFile(path, file).ok());
  auto reader = TFRecordReader::Open(path).value();
  std::string record;
  for (const char* wanted : {"one", "", "three"}) {
    ASSERT_TRUE(reader->Read(&record).value());
    EXPECT_EQ(record, wanted);
  }
  EXPECT_FALSE(reader->Read(&record).value());
}

TEST(TFRecordTest, HugeLengthIsDataLoss) {
  ScratchDir dir;
  const std::string path = StrCat(dir.path(), "/records");
  ASSERT_TRUE(AtomicWriteFile(path, std::string(12, '\xff')).ok());
  std::string record;
  EXPECT_EQ(TFRecordReader::Open(path).value()->Read(&record).status().code(), Code::kDataLoss);
  EXPECT_EQ(TFRecordReader::Open("/nowhere").status().code(), Code::kNotFound);
}

}  // namespace
}  // namespace ramet
