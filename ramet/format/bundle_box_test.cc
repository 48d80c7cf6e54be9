#include "ramet/format/bundle_box.h"

#include <gtest/gtest.h>

#include <numeric>

#include <unistd.h>

#include "ramet/format/bundle_testing.h"

namespace ramet {
namespace {

template <class T>
Tensor Iota(const Shape& shape) {
  Tensor t(DTypeOf<T>::value, shape);
  std::iota(t.mutable_data<T>(), t.mutable_data<T>() + t.num_elements(), T(1));
  return t;
}

Tensor CutInMemory(const Tensor& whole, const TensorSlice& slice) {
  Tensor part(whole.dtype(), slice.ShapeIn(whole.shape()).value());
  CopyOverlap(whole, TensorSlice::Whole(whole.rank()).Explicit(whole.shape()),
              slice.Explicit(whole.shape()), &part);
  return part;
}

TEST(BundleBox, EveryKindOfBoxMatchesASliceInMemory) {
  ScratchDir dir;
  // 3 x 400 x 300 floats: rows nearer and farther apart than a window, and runs across pieces.
  const Tensor cube = Iota<float>(Shape{3, 400, 300});
  const Tensor row = Iota<int64_t>(Shape{100'000});
  const Tensor wide = Iota<int16_t>(Shape{4, 100'000});
  ASSERT_TRUE(Save(dir / "m", {{"cube", cube}, {"row", row}, {"wide", wide}}).ok());
  BundleReader reader = BundleReader::Open(dir / "m").value();
  const auto check = [&](const std::string& name, const Tensor& whole, const std::string& text) {
    const Tensor expected = CutInMemory(whole, Slice(text));
    EXPECT_TRUE(reader.ReadSlice(name, Slice(text))->BitwiseEquals(expected)) << text;
    EXPECT_TRUE(reader.ReadSliceUnverified(name, Slice(text))->BitwiseEquals(expected)) << text;
  };
  for (const char* text : {"-:-:-", "1,1:-:-", "0,3:7,390:-", "-:-:5,1", "-:399,1:299,1",
                           "2,1:1,2:3,4", "0,2:100,200:10,280", "0,1:0,1:0,300"}) {
    check("cube", cube, text);
  }
  for (const char* text : {"0,1", "99999,1", "1,99998", "40000,20000"}) check("row", row, text);
  for (const char* text : {"-:0,3", "1,3:99990,10", "-:1,99999"}) check("wide", wide, text);
}

TEST(BundleBox, PartsOfStoredSlices) {
  ScratchDir dir;
  const Tensor whole = Iota<int32_t>(Shape{6, 4});
  BundleWriter writer = BundleWriter::Create(dir / "m").value();
  for (const char* text : {"0,4:0,2", "0,4:2,2", "4,2:-"}) {
    ASSERT_TRUE(
        writer.AddSlice("w", Shape{6, 4}, Slice(text), CutInMemory(whole, Slice(text))).ok());
  }
  ASSERT_TRUE(writer.Finish().ok());
  BundleReader reader = BundleReader::Open(dir / "m").value();
  for (const char* text : {"-:-", "1,4:1,2", "3,2:-", "0,1:0,1", "4,2:3,1"}) {
    const Tensor expected = CutInMemory(whole, Slice(text));
    EXPECT_TRUE(reader.ReadSlice("w", Slice(text))->BitwiseEquals(expected)) << text;
    EXPECT_TRUE(reader.ReadSliceUnverified("w", Slice(text))->BitwiseEquals(expected)) << text;
  }
}

TEST(BundleBox, ADamagedByteOutsideTheBoxIsDetectedUnlessUnverified) {
  ScratchDir dir;
  ASSERT_TRUE(Save(dir / "m", {{"row", Iota<float>(Shape{1000})}}).ok());
  std::string data = ReadFile(DataPath(dir / "m")).value();
  data[3999] ^= 1;
  WriteBytes(DataPath(dir / "m"), data);
  BundleReader reader = BundleReader::Open(dir / "m").value();
  ExpectError(reader.ReadSlice("row", Slice("0,2")).status(), Code::kDataLoss,
              "Checksum does not match");
  EXPECT_TRUE(reader.ReadSliceUnverified("row", Slice("0,2"))
                  ->BitwiseEquals(Tensor::Vector<float>({1, 2})));
}

// A hole in a file reads as zeros: the tensor is larger than memory, its box is small.
TEST(BundleBox, ABoxOfATensorOfATebibyte) {
  ScratchDir dir;
  BundleEntry entry;
  entry.dtype = kFloat;
  entry.shape = Shape{1 << 20, 1 << 18};
  entry.size = int64_t{1} << 40;
  BundleHeader header;
  WriteRawIndex(dir / "m", {{"", EncodeBundleHeader(header)}, {"huge", EncodeBundleEntry(entry)}});
  WriteBytes(DataPath(dir / "m"), "");
  if (truncate(DataPath(dir / "m").c_str(), int64_t{1} << 40) != 0) {
    GTEST_SKIP() << "skipped: the file system has no files of a tebibyte";
  }
  BundleReader reader = BundleReader::Open(dir / "m").value();
  const TensorSlice box = Slice("1048575,1:262100,44");
  EXPECT_TRUE(
      reader.ReadSliceUnverified("huge", box)->BitwiseEquals(Tensor::Of<float>({1, 44}, {0.0f})));
  ASSERT_EQ(truncate(DataPath(dir / "m").c_str(), 4096), 0);
  ExpectError(reader.ReadSliceUnverified("huge", box).status(), Code::kOutOfRange, ".data-00000");
}

TEST(MappedTensor, HasTheBytesAndVerifiesThem) {
  ScratchDir dir;
  const Tensor row = Iota<float>(Shape{100'000});
  ASSERT_TRUE(Save(dir / "m", {{"flag", Tensor(true)}, {"row", row}, {"text", Tensor("a")}}).ok());
  BundleReader reader = BundleReader::Open(dir / "m").value();
  MappedTensor mapped = reader.Map("row").value();
  EXPECT_EQ(mapped.dtype(), kFloat);
  EXPECT_EQ(mapped.shape(), (Shape{100'000}));
  EXPECT_EQ(mapped.bytes(),
            std::string_view(static_cast<const char*>(row.raw_data()), row.bytes()));
  EXPECT_TRUE(mapped.Verify().ok());
  ExpectError(reader.Map("text").status(), Code::kFailedPrecondition, "holds strings");
  ExpectError(reader.Map("q").status(), Code::kNotFound, "Key q not found");
  ASSERT_EQ(truncate(DataPath(dir / "m").c_str(), 50'000), 0);
  ExpectError(mapped.Verify(), Code::kDataLoss, "shortened or unreadable while it was mapped");
  EXPECT_EQ(mapped.bytes().size(), row.bytes());
  EXPECT_TRUE(IsDataLoss(mapped.CheckIntact()));
  ExpectError(reader.Map("row").status(), Code::kDataLoss, "replaced or changed");
}

TEST(BundlePieces, ATensorIsCopiedInPieces) {
  ScratchDir dir;
  const Tensor row = Iota<int64_t>(Shape{100'001});
  ASSERT_TRUE(Save(dir / "m", {{"row", row}, {"text", Tensor("a")}}).ok());
  BundleReader reader = BundleReader::Open(dir / "m").value();
  std::string bytes;
  size_t largest = 0;
  const auto take = [&](std::string_view piece) {
    bytes += piece;
    largest = std::max(largest, piece.size());
    return OkStatus();
  };
  ASSERT_TRUE(reader.ReadPieces("row", TensorSlice::Whole(1), take).ok());
  EXPECT_EQ(bytes, std::string_view(static_cast<const char*>(row.raw_data()), row.bytes()));
  EXPECT_EQ(largest, size_t{256} << 10);
  ExpectError(reader.ReadPieces("row", Slice("0,1"), take), Code::kInvalidArgument,
              "tensor row is stored whole, not as the slice 0,1");
  ExpectError(reader.ReadPieces("text", TensorSlice(), take), Code::kInvalidArgument, "strings");
  ExpectError(reader.ReadPieces("q", TensorSlice(), take), Code::kNotFound, "Key q not found");
}

TEST(BundlePieces, TheWriterChecksTheNumberOfBytes) {
  ScratchDir dir;
  {
    BundleWriter writer = BundleWriter::Create(dir / "m").value();
    const auto three = [](const auto& take) { return take("abc"); };
    ExpectError(writer.AddPieces("x", kFloat, Shape{}, TensorSlice(), three),
                Code::kInvalidArgument,
                "a float tensor of shape [] has 4 bytes, but its pieces have 3");
    EXPECT_FALSE(writer.Add("y", Tensor(1.0f)).ok());
    EXPECT_FALSE(writer.Finish().ok());
  }
  EXPECT_TRUE(ListDir(dir.path())->empty());
  BundleWriter writer = BundleWriter::Create(dir / "m").value();
  const auto bytes = [](const auto& take) {
    RAMET_RETURN_IF_ERROR(take(std::string_view("\1\0\0", 3)));
    return take(std::string_view("\0\2\0\0\0", 5));
  };
  ASSERT_TRUE(writer.AddPieces("x", kInt32, Shape{4}, Slice("1,2"), bytes).ok());
  ExpectError(writer.AddPieces("s", kString, Shape{}, TensorSlice(), bytes), Code::kUnimplemented,
              "cannot be saved in pieces");
  ASSERT_TRUE(writer.Finish().ok());
  BundleReader reader = BundleReader::Open(dir / "m").value();
  EXPECT_TRUE(reader.ReadSlice("x", Slice("1,2"))->BitwiseEquals(Tensor::Vector<int32_t>({1, 2})));
}

}  // namespace
}  // namespace ramet
