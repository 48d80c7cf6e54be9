#include "ramet/format/checkpoint_copy.h"

#include <gtest/gtest.h>

#include "ramet/format/bundle_format.h"
#include "ramet/format/bundle_testing.h"
#include "ramet/format/v1_format.h"
#include "ramet/format/v1_writer.h"

namespace ramet {
namespace {

template <class Writer>
void Fill(Writer& writer) {
  ASSERT_TRUE(writer.Add("a", Tensor::Of<double>(Shape{70'000}, {1.5})).ok());
  ASSERT_TRUE(writer.Add("flag", Tensor::Vector<bool>({true, false})).ok());
  const Tensor part = Tensor::Of<float>(Shape{1, 2}, {1, 2});
  ASSERT_TRUE(writer.AddSlice("part", Shape{2, 2}, Slice("0,1:-"), part).ok());
  ASSERT_TRUE(writer.AddSlice("part", Shape{2, 2}, Slice("1,1:0,2"), part).ok());
  ASSERT_TRUE(writer.Add("text", Tensor::Vector<std::string>({"x", ""})).ok());
  ASSERT_TRUE(writer.Finish().ok());
}

void SaveV1(const std::string& path) {
  V1Writer writer(path);
  Fill(writer);
}

void SaveV2(const std::string& prefix) {
  BundleWriter writer = BundleWriter::Create(prefix).value();
  Fill(writer);
}

void Copy(const std::string& from, const std::string& to, CopyCheckpointOptions options) {
  CheckpointReader reader = CheckpointReader::Open(from).value();
  const Status copied = CopyCheckpoint(reader, to, options);
  ASSERT_TRUE(copied.ok()) << copied.ToString();
}

TEST(CopyCheckpoint, FromEitherFormatToEitherGivesTheSameFiles) {
  ScratchDir dir;
  SaveV1(dir / "one");
  SaveV2(dir / "two");
  const std::string v1 = ReadFile(dir / "one").value();
  for (const std::string from : {"one", "two"}) {
    Copy(dir / from, dir / (from + "-v1"), {.format = CheckpointFormat::kV1});
    EXPECT_EQ(ReadFile(dir / (from + "-v1")).value(), v1) << from;
    Copy(dir / from, dir / (from + "-v2"), {});
    for (const std::string suffix : {".index", ".data-00000-of-00001"}) {
      EXPECT_EQ(ReadFile(dir / (from + "-v2" + suffix)).value(),
                ReadFile(dir / ("two" + suffix)).value());
    }
  }
}

TEST(CopyCheckpoint, RenamesAndLeavesOut) {
  ScratchDir dir;
  SaveV2(dir / "two");
  std::vector<std::string> seen;
  CopyCheckpointOptions options;
  options.rename = [](const CheckpointTensor& t) {
    return t.name == "a" ? "" : StrCat("scope/", t.name);
  };
  options.on_tensor = [&](const CheckpointTensor& t) { seen.push_back(t.name); };
  Copy(dir / "two", dir / "copy", options);
  EXPECT_EQ(seen, (std::vector<std::string>{"flag", "part", "text"}));
  CheckpointReader copy = CheckpointReader::Open(dir / "copy").value();
  EXPECT_EQ(copy.DebugString().value(),
            "scope/flag (DT_BOOL) [2]\nscope/part (DT_FLOAT) [2,2], 2 slices\n"
            "scope/text (DT_STRING) [2]\n");
}

TEST(CopyCheckpoint, DamageStopsTheCopyAndLeavesWhatWasThere) {
  ScratchDir dir;
  SaveV2(dir / "two");
  SaveV2(dir / "copy");
  const std::string index = ReadFile(dir / "copy.index").value();
  std::string data = ReadFile(DataPath(dir / "two")).value();
  data[500'000] ^= 1;
  WriteBytes(DataPath(dir / "two"), data);
  CheckpointReader reader = CheckpointReader::Open(dir / "two").value();
  ExpectError(CopyCheckpoint(reader, dir / "copy"), Code::kDataLoss, "Checksum does not match");
  ExpectError(CopyCheckpoint(reader, dir / "v1", {.format = CheckpointFormat::kV1}),
              Code::kDataLoss, "Checksum does not match");
  EXPECT_EQ(ReadFile(dir / "copy.index").value(), index);
  EXPECT_FALSE(FileExists(dir / "v1"));
}

// Looking at all slices for each of them would take minutes.
TEST(CopyCheckpoint, ATensorInManySlicesIsCopiedQuickly) {
  constexpr int64_t kSlices = 20'000;
  ScratchDir dir;
  BundleWriter writer = BundleWriter::Create(dir / "two").value();
  const Tensor row = Tensor::Of<float>(Shape{1, 2}, {1, 2});
  for (int64_t i = 0; i < kSlices; ++i) {
    ASSERT_TRUE(writer.AddSlice("w", Shape{kSlices, 2}, TensorSlice({{i, 1}, {}}), row).ok());
  }
  ASSERT_TRUE(writer.Finish().ok());
  Copy(dir / "two", dir / "v1", {.format = CheckpointFormat::kV1});
  Copy(dir / "v1", dir / "again", {});
  EXPECT_EQ(ReadFile(dir / "again.index").value(), ReadFile(dir / "two.index").value());
}

// No writer of either format takes such a name, but a file may have it.
TEST(CopyCheckpoint, ATensorWithoutANameIsNotLeftOut) {
  ScratchDir dir;
  const CheckpointTensor unnamed = {"", kFloat, Shape(), 0, {TensorSlice()}};
  TableWriter table = TableWriter::Create(dir / "one").value();
  ASSERT_TRUE(table.Add("", EncodeV1Meta({unnamed})).ok());
  ASSERT_TRUE(table
                  .Add(BundleSliceKey("", TensorSlice()),
                       EncodeV1Slice("", TensorSlice(), Tensor(1.0f)).value())
                  .ok());
  ASSERT_TRUE(table.Finish().ok());
  CheckpointReader reader = CheckpointReader::Open(dir / "one").value();
  EXPECT_EQ(reader.Read("").value().scalar<float>(), 1);
  ExpectError(CopyCheckpoint(reader, dir / "copy"), Code::kInvalidArgument, "must not be empty");
}

}  // namespace
}  // namespace ramet
