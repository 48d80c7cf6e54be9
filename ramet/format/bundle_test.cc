#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "ramet/base/coding.h"
#include "ramet/base/crc32c.h"
#include "ramet/format/bundle_testing.h"

namespace ramet {
namespace {

// Written by TensorFlow 2.21's SaveV2 for the tensors of GoldenTensors(), in that order.
constexpr std::string_view kGoldenIndex =
    "00000608011a020801000d150070617274000101028082808208031208120208021202080220092810358ef1"
    "dd1d0904158281807f08031208120208011202080220192808357d01dbf900060d612f666c6167080a120020"
    "08280135052b284300010f6208011204120208022808353d33c8f40004207061727408031208120208031202"
    "08023a080a0210020a0210023a080a04080210010a000004117465787408071204120208022021280935c2ce"
    "c197000411766f696408011206120012020802202a35d8ea82a2000000000100000000a40378620000000001"
    "00000000c0f2a1b00001037700d201000000000100000000e791014fd70108e4010f00000000000000000000"
    "00000000000000000000000000000000000000000000000057fb808b247547db";
constexpr std::string_view kGoldenData =
    "0000c03f000000c0010000000001000000020000000300000004000000050000000003ecc6ea196162ff";

std::string FromHex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1])));
  }
  return bytes;
}

NamedTensors GoldenTensors() {
  return {{"a/flag", Tensor(true)},
          {"b", Tensor::Vector<float>({1.5f, -2})},
          {"part", Tensor::Of<int32_t>(Shape{3, 2}, {0, 1, 2, 3, 4, 5})},
          {"text", Tensor::Vector<std::string>({"", "ab\xFF"})},
          {"void", Tensor(kFloat, Shape{0, 2})}};
}

TEST(Bundle, AFreshPrefixIsByteForByteAsTensorFlowWritesIt) {
  ScratchDir dir;
  BundleWriter writer = BundleWriter::Create(dir / "m").value();
  const NamedTensors t = GoldenTensors();
  ASSERT_TRUE(writer.Add("b", t[1].second).ok());
  ASSERT_TRUE(writer.Add("a/flag", t[0].second).ok());
  ASSERT_TRUE(writer
                  .AddSlice("part", Shape{3, 2}, Slice("0,2:0,2"),
                            Tensor::Of<int32_t>(Shape{2, 2}, {0, 1, 2, 3}))
                  .ok());
  ASSERT_TRUE(
      writer.AddSlice("part", Shape{3, 2}, Slice("2,1:-"), Tensor::Of<int32_t>(Shape{1, 2}, {4, 5}))
          .ok());
  ASSERT_TRUE(writer.Add("text", t[3].second).ok());
  ASSERT_TRUE(writer.AddSlice("void", Shape{0, 2}, Slice("-:-"), t[4].second).ok());
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_EQ(ReadFile(dir / "m.index").value(), FromHex(kGoldenIndex));
  EXPECT_EQ(ReadFile(DataPath(dir / "m")).value(), FromHex(kGoldenData));
  EXPECT_EQ(ListDir(dir.path()).value(),
            (std::vector<std::string>{"m.data-00000-of-00001", "m.index"}));
}

TEST(Bundle, ReadsWhatTensorFlowWrote) {
  ScratchDir dir;
  WriteBytes(dir / "m.index", FromHex(kGoldenIndex));
  WriteBytes(DataPath(dir / "m"), FromHex(kGoldenData));
  ExpectSame(LoadAll(dir / "m").value(), GoldenTensors());
  BundleReader reader = BundleReader::Open(dir / "m").value();
  const BundleTensor part = reader.Find("part").value();
  EXPECT_EQ(part.dtype, kInt32);
  EXPECT_EQ(part.shape, (Shape{3, 2}));
  EXPECT_EQ(part.slices, (std::vector<TensorSlice>{Slice("0,2:0,2"), Slice("2,1:-")}));
}

TEST(Bundle, EveryDTypeRoundTrips) {
  ScratchDir dir;
  NamedTensors tensors;
  for (int number = 1; number <= 23; ++number) {
    const DType dtype = static_cast<DType>(number);
    if (DTypeSize(dtype) == 0) continue;
    for (const Shape& shape : {Shape(), Shape{5, 3}, Shape{2, 0}}) {
      Tensor t(dtype, shape);
      char* bytes = static_cast<char*>(t.raw_data());
      for (size_t i = 0; i < t.bytes(); ++i)
        bytes[i] = static_cast<char>(dtype == kBool ? i % 2 : 37 * i);
      tensors.emplace_back(StrCat(DTypeName(dtype), shape), t);
    }
  }
  tensors.emplace_back("strings",
                       Tensor::Vector<std::string>({"", "x", std::string(1 << 20, 's'), ""}));
  tensors.emplace_back("string", Tensor("scalar"));
  tensors.emplace_back("no strings", Tensor(kString, Shape{0}));
  tensors.emplace_back("empty strings", Tensor(kString, Shape{200000}));
  std::sort(tensors.begin(), tensors.end(), [](auto& a, auto& b) { return a.first < b.first; });
  ASSERT_TRUE(Save(dir / "m", tensors).ok());
  ExpectSame(LoadAll(dir / "m").value(), tensors);
}

// The writer keeps the bytes that it is given, so that files of other programs can be imitated.
TEST(Bundle, EveryByteBecomesABool) {
  ScratchDir dir;
  Tensor odd(kBool, Shape{4});
  std::memcpy(odd.raw_data(), "\0\1\2\xff", 4);
  ASSERT_TRUE(Save(dir / "m", {{"b", odd}}).ok());
  const NamedTensors read = LoadAll(dir / "m").value();
  EXPECT_EQ(std::string(static_cast<const char*>(read[0].second.raw_data()), 4),
            std::string("\0\1\1\1", 4));
}

TEST(Bundle, TensorsOfManyMegabytesAndManyNames) {
  ScratchDir dir;
  Tensor big(kFloat, Shape{1 << 20, 3});
  for (int64_t i = 0; i < big.num_elements(); ++i)
    big.mutable_data<float>()[i] = static_cast<float>(i);
  NamedTensors tensors = {{"big", big}};
  for (int i = 0; i < 20000; ++i)
    tensors.emplace_back(StrCat("layer_", 10000 + i, "/bias"), Tensor(i));
  ASSERT_TRUE(Save(dir / "m", tensors).ok());
  ExpectSame(LoadAll(dir / "m").value(), tensors);
}

TEST(Bundle, SlicesCanBeReadWholeOrAsDifferentSlices) {
  ScratchDir dir;
  const Shape full{10, 4};
  Tensor whole(kDouble, full);
  for (int i = 0; i < 40; ++i) whole.mutable_data<double>()[i] = i;
  BundleWriter writer = BundleWriter::Create(dir / "m").value();
  for (const char* text : {"0,4:0,4", "4,3:0,4", "7,3:0,1", "7,3:1,3"}) {
    const TensorSlice slice = Slice(text);
    Tensor part(kDouble, slice.ShapeIn(full).value());
    CopyOverlap(whole, TensorSlice::Whole(2).Explicit(full), slice, &part);
    ASSERT_TRUE(writer.AddSlice("w", full, slice, part).ok());
  }
  ASSERT_TRUE(writer.Add("whole", whole).ok());
  ASSERT_TRUE(writer.Finish().ok());
  for (const char* spec :
       {"", "10 4 -:-", "10 4 0,5:0,4", "10 4 4,3:0,4", "10 4 6,4:1,2", "10 4 9,1:3,1"}) {
    const std::vector<Tensor> read =
        ReadBundle(dir / "m",
                   std::vector<BundleRequest>{{"w", kDouble, spec}, {"whole", kDouble, spec}})
            .value();
    EXPECT_TRUE(read[0].BitwiseEquals(read[1])) << spec << ": " << read[0].ToString(40);
  }
  EXPECT_TRUE(Load(dir / "m", {"w"}).value()[0].BitwiseEquals(whole));
}

TEST(Bundle, StringSlices) {
  ScratchDir dir;
  BundleWriter writer = BundleWriter::Create(dir / "m").value();
  ASSERT_TRUE(
      writer.AddSlice("s", Shape{4}, Slice("2,2"), Tensor::Vector<std::string>({"c", "dd"})).ok());
  ASSERT_TRUE(
      writer.AddSlice("s", Shape{4}, Slice("0,2"), Tensor::Vector<std::string>({"a", ""})).ok());
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_TRUE(Load(dir / "m", {"s"})
                  .value()[0]
                  .BitwiseEquals(Tensor::Vector<std::string>({"a", "", "c", "dd"})));
}

TEST(Bundle, BigEndianBundles) {
  ScratchDir dir;
  const std::string doubles = FromHex("3ff00000000000004000000000000000");
  const std::string complexes = FromHex("3f80000040000000");
  std::string text = "\2";
  const std::string length = FromHex("00000002");
  uint32_t crc = crc32c::Value(length);
  const uint32_t masked = crc32c::Mask(crc);
  std::string checksum;
  for (int shift : {24, 16, 8, 0}) checksum.push_back(static_cast<char>(masked >> shift));
  text += checksum + "hi";
  crc = crc32c::Extend(crc, checksum.data(), 4);
  crc = crc32c::Extend(crc, "hi", 2);
  WriteBytes(DataPath(dir / "m"), doubles + complexes + text);
  BundleHeader header;
  header.big_endian = true;
  WriteRawIndex(
      dir / "m",
      {{"", EncodeBundleHeader(header)},
       {"c",
        EncodeBundleEntry(
            {DType::kComplex64, Shape{1}, 0, 16, 8, crc32c::Mask(crc32c::Value(complexes)), {}})},
       {"d",
        EncodeBundleEntry({kDouble, Shape{2}, 0, 0, 16, crc32c::Mask(crc32c::Value(doubles)), {}})},
       {"s", EncodeBundleEntry({kString, Shape{1}, 0, 24, 7, crc32c::Mask(crc), {}})}});
  const std::vector<Tensor> read = Load(dir / "m", {"c", "d", "s"}).value();
  EXPECT_EQ(read[0].data<std::complex<float>>()[0], std::complex<float>(1, 2));
  EXPECT_TRUE(read[1].BitwiseEquals(Tensor::Vector<double>({1, 2})));
  EXPECT_EQ(read[2].data<std::string>()[0], "hi");
}

TEST(Bundle, ErrorsOfReading) {
  ScratchDir dir;
  ExpectError(Load(dir / "none", {"a"}).status(), Code::kNotFound,
              "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for ");
  ASSERT_TRUE(Save(dir / "m", GoldenTensors()).ok());
  ExpectError(Load(dir / "m", {"b", "c"}).status(), Code::kNotFound,
              "Key c not found in checkpoint");
  ExpectError(Load(dir / "m", {""}).status(), Code::kNotFound, "Key  not found in checkpoint");
  const std::vector<BundleRequest> dtypes = {
      {"text", kFloat, ""}, {"b", kInt32, ""}, {"void", kFloat, ""}};
  const Status mismatch = ReadBundle(dir / "m", dtypes).status();
  ExpectError(mismatch, Code::kInvalidArgument,
              "tensor_name = b; expected dtype int32 does not equal original dtype float\n"
              "tensor_name = text; expected dtype float does not equal original dtype string");
  ExpectError(
      ReadBundle(dir / "m", std::vector<BundleRequest>{{"part", kInt32, "3 4 0,1:-"}}).status(),
      Code::kInvalidArgument,
      "tensor_name = part; shape in shape_and_slice spec [3,4] does not match the shape stored in "
      "checkpoint: [3,2]");
}

TEST(Bundle, SlicesThatDoNotCover) {
  ScratchDir dir;
  BundleWriter writer = BundleWriter::Create(dir / "m").value();
  ASSERT_TRUE(writer.AddSlice("t", Shape{4, 2}, Slice("0,2:-"), Tensor(kFloat, Shape{2, 2})).ok());
  ASSERT_TRUE(writer.Finish().ok());
  ExpectError(
      Load(dir / "m", {"t"}).status(), Code::kInvalidArgument,
      "Does not have sufficient slices for partitioned tensor t to restore in slice_spec: -:-");
  ExpectError(
      ReadBundle(dir / "m", std::vector<BundleRequest>{{"t", kFloat, "4 2 1,2:-"}}).status(),
      Code::kInvalidArgument, "slice_spec: 1,2:-");
}

TEST(Bundle, ErrorsOfWriting) {
  ScratchDir dir;
  BundleWriter writer = BundleWriter::Create(dir / "m").value();
  ASSERT_TRUE(writer.Add("a", Tensor(1.f)).ok());
  ExpectError(writer.Add("a", Tensor(1.f)), Code::kInvalidArgument, "Adding duplicate key: a");
  ExpectError(writer.Add("", Tensor(1.f)), Code::kInvalidArgument, "must not be empty");
  ExpectError(writer.Add("e", Tensor()), Code::kInvalidArgument, "holds nothing");
  ExpectError(writer.AddSlice("a", Shape{2}, Slice("0,1"), Tensor::Vector<float>({1})),
              Code::kInvalidArgument, "Adding duplicate key: a");
  ASSERT_TRUE(writer.AddSlice("p", Shape{2}, Slice("0,1"), Tensor::Vector<float>({1})).ok());
  ExpectError(writer.AddSlice("p", Shape{3}, Slice("1,1"), Tensor::Vector<float>({1})),
              Code::kInvalidArgument, "earlier slices");
  ExpectError(writer.AddSlice("p", Shape{2}, Slice("1,1"), Tensor::Vector<float>({1, 2})),
              Code::kInvalidArgument, "has shape [1], but the tensor to save has [2]");
  ExpectError(writer.AddSlice("p", Shape{2}, Slice("0,1"), Tensor::Vector<float>({1})),
              Code::kInvalidArgument, "duplicate");
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_FALSE(writer.Finish().ok());
  EXPECT_EQ(BundleReader::Open(dir / "m")->List()->size(), 2u);
  EXPECT_TRUE(Load(dir / "m", {"a"}).ok());
}

TEST(Bundle, MakesTheFolderButNotItsParent) {
  ScratchDir dir;
  EXPECT_TRUE(Save(dir / "new/m", GoldenTensors()).ok());
  ExpectError(Save(dir / "a/b/m", GoldenTensors()), Code::kNotFound, "No such file or directory");
}

TEST(Bundle, AnUnfinishedWriterLeavesNothing) {
  ScratchDir dir;
  {
    BundleWriter writer = BundleWriter::Create(dir / "m").value();
    ASSERT_TRUE(writer.Add("a", Tensor(kFloat, Shape{1 << 20})).ok());
    BundleWriter moved = std::move(writer);
  }
  EXPECT_TRUE(ListDir(dir.path()).value().empty());
}

// Reads every checkpoint that TensorFlow wrote to the folder RAMET_ZOO and writes it back byte for
// byte.
TEST(Bundle, TheZooReadsAndIsWrittenBackTheSame) {
  const char* zoo = std::getenv("RAMET_ZOO");
  if (zoo == nullptr) GTEST_SKIP() << "skipped: RAMET_ZOO is not set";
  ScratchDir dir;
  int whole = 0;
  std::vector<std::string> indexes = Glob(StrCat(zoo, "/*/*.index")).value();
  ASSERT_FALSE(indexes.empty());
  for (const std::string& path : indexes) {
    const std::string prefix = path.substr(0, path.size() - 6);
    BundleReader reader = BundleReader::Open(prefix).value();
    const std::vector<BundleTensor> list = reader.List().value();
    const StatusOr<NamedTensors> tensors = LoadAll(prefix);
    ASSERT_TRUE(tensors.ok()) << path << tensors.status().ToString();
    const bool plain =
        reader.num_shards() == 1 &&
        std::ranges::all_of(list, [](const BundleTensor& t) { return t.slices.empty(); });
    if (!plain) continue;
    const std::string copy = dir / StrCat("m", whole++);
    ASSERT_TRUE(Save(copy, *tensors).ok());
    EXPECT_EQ(ReadFile(copy + ".index").value(), ReadFile(path).value()) << path;
    EXPECT_EQ(ReadFile(DataPath(copy)).value(), ReadFile(DataPath(prefix)).value()) << path;
  }
  EXPECT_GT(whole, 5);
}

}  // namespace
}  // namespace ramet
