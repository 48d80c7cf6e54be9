#include "ramet/format/checkpoint_reader.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "ramet/format/bundle_testing.h"
#include "ramet/format/v1_writer.h"

namespace ramet {
namespace {

const Tensor kTop = Tensor::Of<float>(Shape{2, 2}, {0, 1, 2, 3});
const Tensor kBottom = Tensor::Of<float>(Shape{1, 2}, {4, 5});

// Writes "a" whole and "w" in two slices.
template <class Writer>
Status Write(Writer& writer) {
  RAMET_RETURN_IF_ERROR(writer.Add("a", Tensor::Vector<std::string>({"x", "yz"})));
  RAMET_RETURN_IF_ERROR(writer.AddSlice("w", Shape{3, 2}, Slice("0,2:0,2"), kTop));
  RAMET_RETURN_IF_ERROR(writer.AddSlice("w", Shape{3, 2}, Slice("2,1:0,2"), kBottom));
  return writer.Finish();
}

Status WriteV1(const std::string& path) {
  V1Writer writer(path);
  return Write(writer);
}

Status WriteV2(const std::string& prefix) {
  RAMET_ASSIGN_OR_RETURN(BundleWriter writer, BundleWriter::Create(prefix));
  return Write(writer);
}

class EitherFormat : public ::testing::TestWithParam<CheckpointFormat> {
 protected:
  void SetUp() override {
    const auto write = GetParam() == CheckpointFormat::kV1 ? WriteV1 : WriteV2;
    ASSERT_TRUE(write(prefix_).ok());
  }
  StatusOr<std::vector<Tensor>> Restore(const std::vector<BundleRequest>& requests) {
    return ReadCheckpoint(prefix_, requests);
  }
  ScratchDir dir_;
  const std::string prefix_ = dir_ / "m";
};

TEST(CheckpointReader, TheErrorForAnIndexFileNamesThePrefix) {
  ScratchDir dir;
  ASSERT_TRUE(WriteV2(dir / "m").ok());
  CheckpointReader reader = CheckpointReader::Open(dir / "m.index").value();
  EXPECT_EQ(reader.Find("w").status().message(),
            StrCat("Tensor name \"w\" not found in checkpoint files ", dir / "m.index",
                   "; this is an index file, use the prefix '", dir / "m", "'"));
}

TEST_P(EitherFormat, ListsFindsAndReads) {
  CheckpointReader reader = CheckpointReader::Open(prefix_).value();
  EXPECT_EQ(reader.format(), GetParam());
  EXPECT_EQ(reader.bundle() != nullptr, GetParam() == CheckpointFormat::kV2);
  EXPECT_EQ(reader.DebugString().value(), "a (DT_STRING) [2]\nw (DT_FLOAT) [3,2], 2 slices\n");
  EXPECT_EQ(reader.List()->size(), 2u);
  EXPECT_TRUE(reader.Has("w").value());
  EXPECT_FALSE(reader.Has("q").value());
  EXPECT_EQ(reader.Find("w")->shape, (Shape{3, 2}));
  EXPECT_EQ(reader.Read("a")->flat<std::string>()[1], "yz");
  EXPECT_TRUE(reader.Read("w")->BitwiseEquals(Tensor::Of<float>(Shape{3, 2}, {0, 1, 2, 3, 4, 5})));
  EXPECT_TRUE(reader.ReadSlice("w", Slice("2,1:-"))->BitwiseEquals(kBottom));
  EXPECT_EQ(reader.Read("q").status().code(), Code::kNotFound);
}

TEST_P(EitherFormat, RestoresRequestsInTheirOrder) {
  auto tensors = Restore({{"w", kFloat, "3 2 1,2:1,1"}, {"a", kString, ""}}).value();
  EXPECT_TRUE(tensors[0].BitwiseEquals(Tensor::Of<float>(Shape{2, 1}, {3, 5})));
  EXPECT_EQ(tensors[1].flat<std::string>()[0], "x");
}

TEST_P(EitherFormat, ErrorsMatchTensorFlow) {
  const bool v1 = GetParam() == CheckpointFormat::kV1;
  ExpectError(Restore({{"q", kFloat, ""}}).status(), Code::kNotFound,
              v1 ? StrCat("Tensor name \"q\" not found in checkpoint files ", prefix_)
                 : "Key q not found in checkpoint");
  ExpectError(Restore({{"w", kInt32, ""}}).status(), Code::kInvalidArgument,
              v1 ? "Expected to restore a tensor of type int32, got a tensor of type float "
                   "instead: tensor_name = w"
                 : "tensor_name = w; expected dtype int32 does not equal original dtype float");
  ExpectError(Restore({{"w", kFloat, "4 2 0,1:-"}}).status(), Code::kInvalidArgument,
              v1 ? "Shape in shape_and_slice spec does not match the shape in the save file: "
                   "[4,2], save file shape: [3,2]"
                 : "tensor_name = w; shape in shape_and_slice spec [4,2] does not match the shape "
                   "stored in checkpoint: [3,2]");
}

INSTANTIATE_TEST_SUITE_P(Formats, EitherFormat,
                         ::testing::Values(CheckpointFormat::kV1, CheckpointFormat::kV2),
                         [](const auto& info) {
                           return info.param == CheckpointFormat::kV1 ? "V1" : "V2";
                         });

TEST(CheckpointReader, V2TakesPrecedence) {
  ScratchDir dir;
  ASSERT_TRUE(WriteV1(dir / "m").ok());
  ASSERT_TRUE(WriteV2(dir / "m").ok());
  EXPECT_EQ(CheckpointReader::Open(dir / "m")->format(), CheckpointFormat::kV2);
}

TEST(CheckpointReader, MissingCheckpoint) {
  ScratchDir dir;
  ExpectError(CheckpointReader::Open(dir / "m").status(), Code::kNotFound,
              StrCat("Unsuccessful TensorSliceReader constructor: Failed to find any matching "
                     "files for ",
                     dir / "m"));
}

TEST(CheckpointReader, TheZoosV1FilesRead) {
  const char* zoo = std::getenv("RAMET_ZOO");
  if (zoo == nullptr) GTEST_SKIP() << "skipped: RAMET_ZOO is not set";
  const std::string folder = zoo;
  for (const std::string pattern : {"v1_checkpoint/*", "v1_checkpoint_sharded/*"}) {
    int files = 0;
    const std::vector<std::string> paths = Glob(JoinPath(folder, pattern)).value();
    for (const std::string& path : paths) {
      if (path.find('.') != std::string::npos || Basename(path) == "checkpoint") continue;
      StatusOr<CheckpointReader> reader = CheckpointReader::Open(path);
      ASSERT_TRUE(reader.ok()) << path << ": " << reader.status().ToString();
      const std::vector<CheckpointTensor> list = reader->List().value();
      for (const CheckpointTensor& tensor : list) {
        const std::vector<TensorSlice> whole = {TensorSlice::Whole(tensor.shape.rank())};
        for (const TensorSlice& slice : tensor.slices.empty() ? whole : tensor.slices) {
          EXPECT_TRUE(reader->ReadSlice(tensor.name, slice).ok()) << path << ": " << tensor.name;
        }
      }
      ++files;
    }
    EXPECT_GT(files, 0) << pattern;
  }
}

}  // namespace
}  // namespace ramet
