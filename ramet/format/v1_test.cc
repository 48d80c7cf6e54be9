#include <gtest/gtest.h>

#include <cstring>

#include "ramet/format/bundle_testing.h"
#include "ramet/format/v1_reader.h"
#include "ramet/format/v1_writer.h"

namespace ramet {
namespace {

// Written by TensorFlow 2.21: SaveSlices of w and v as below, Save of the tensors of Whole().
constexpr std::string_view kSlicesFile =
    "00003c0a3a0a0f0a0176120412020801180122020a000a230a017712081202080412020802180122060a0210"
    "020a00220a0a04080210020a02100212020801000811007600010101807f120f0a017612020a001a062a0400"
    "00104101092177000101028082807f121f0a017712060a0210020a001a122a100000803f0000004000004040"
    "000080400604258282808212230a0177120a0a04080210020a0210021a122a100000a0400000c0400000e040"
    "00000041000000000100000000edf8656b000000000100000000c0f2a1b00001030100bc0100000000010000"
    "000036ae70e7c10108ce010f0000000000000000000000000000000000000000000000000000000000000000"
    "000057fb808b247547db";
constexpr std::string_view kWholeFile =
    "0000350a330a130a01651206120012020803180122040a000a000a090a01731200180122000a0d0a017a1202"
    "1200180722020a0012020801000a0d006500010102807f807f120b0a016512040a000a001a0001040f730001"
    "00120d0a017312001a062a040000f04001070b7a00010101807f12090a017a12020a001a0000000000010000"
    "000082515a67000000000100000000c0f2a1b0000103010085010000000001000000007a6303928a01089701"
    "0f0000000000000000000000000000000000000000000000000000000000000000000057fb808b247547db";

std::string FromHex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1])));
  }
  return bytes;
}

NamedTensors Whole() {
  return {
      {"e", Tensor(kFloat, Shape{0, 3})}, {"s", Tensor(7.5f)}, {"z", Tensor(kString, Shape{0})}};
}

Status SaveV1(const std::string& path, const NamedTensors& tensors) {
  V1Writer writer(path);
  for (const auto& [name, tensor] : tensors) RAMET_RETURN_IF_ERROR(writer.Add(name, tensor));
  return writer.Finish();
}

NamedTensors ReadAll(const std::string& pattern) {
  V1Reader reader = V1Reader::Open(pattern).value();
  NamedTensors tensors;
  for (const CheckpointTensor& info : reader.List()) {
    tensors.emplace_back(info.name, reader.Read(info.name).value());
  }
  return tensors;
}

// Returns two rows of [4,2].
Tensor Rows(float first) {
  return Tensor::Of<float>(Shape{2, 2}, {first, first + 1, first + 2, first + 3});
}

TEST(V1, WholeTensorsAreByteForByteAsTensorFlowWritesThem) {
  ScratchDir dir;
  NamedTensors tensors = Whole();
  std::swap(tensors[0], tensors[2]);
  ASSERT_TRUE(SaveV1(dir / "m", tensors).ok());
  EXPECT_EQ(ReadFile(dir / "m").value(), FromHex(kWholeFile));
  ExpectSame(ReadAll(dir / "m"), Whole());
}

TEST(V1, SlicesAreByteForByteAsTensorFlowWritesThem) {
  ScratchDir dir;
  V1Writer writer(dir / "m");
  ASSERT_TRUE(writer.AddSlice("w", Shape{4, 2}, Slice("0,2:-"), Rows(1)).ok());
  ASSERT_TRUE(writer.AddSlice("w", Shape{4, 2}, Slice("2,2:0,2"), Rows(5)).ok());
  ASSERT_TRUE(writer.Add("v", Tensor::Vector<float>({9})).ok());
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_EQ(ReadFile(dir / "m").value(), FromHex(kSlicesFile));
}

TEST(V1, SlicesAreAssembled) {
  ScratchDir dir;
  WriteBytes(dir / "m", FromHex(kSlicesFile));
  V1Reader reader = V1Reader::Open(dir / "m").value();
  const std::vector<CheckpointTensor> list = reader.List();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].name, "v");
  EXPECT_TRUE(list[0].slices.empty());
  EXPECT_EQ(list[1].shape, (Shape{4, 2}));
  EXPECT_EQ(list[1].slices, (std::vector<TensorSlice>{Slice("0,2:-"), Slice("2,2:0,2")}));
  EXPECT_TRUE(reader.Has("w"));
  EXPECT_FALSE(reader.Has("q"));
  EXPECT_TRUE(
      reader.Read("w")->BitwiseEquals(Tensor::Of<float>(Shape{4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})));
  EXPECT_TRUE(reader.ReadSlice("w", Slice("1,2:1,1"))
                  ->BitwiseEquals(Tensor::Of<float>(Shape{2, 1}, {4, 6})));
  EXPECT_TRUE(reader.ReadSlice("w", Slice("2,2:-"))->BitwiseEquals(Rows(5)));
}

// Values that reveal a wrong sign, width or order.
NamedTensors AllDTypes() {
  using C64 = std::complex<float>;
  using C128 = std::complex<double>;
  const Tensor bytes = Tensor::Vector<uint8_t>({0, 1, 127, 128, 255, 2, 3, 4});
  const auto as = [&](DType dtype) {
    const int64_t n = static_cast<int64_t>(8 / DTypeSize(dtype));
    return Tensor(dtype, Shape{n}, bytes.buffer());
  };
  return {{"bool", Tensor::Vector<bool>({true, false, true})},
          {"complex128", Tensor::Vector<C128>({C128(1, -2), C128(0, 1e300)})},
          {"complex64", Tensor::Vector<C64>({C64(1, -2), C64(3, 4)})},
          {"double", Tensor::Vector<double>({1.5, -1e300})},
          {"float", Tensor::Vector<float>({1.5f, -2})},
          {"half", as(kHalf)},
          {"int16", as(kInt16)},
          {"int32", as(kInt32)},
          {"int64", Tensor::Vector<int64_t>({INT64_MIN, -1, INT64_MAX})},
          {"int8", as(kInt8)},
          {"qint32", as(DType::kQInt32)},
          {"qint8", as(DType::kQInt8)},
          {"quint8", as(DType::kQUInt8)},
          {"string", Tensor::Vector<std::string>({"", std::string("a\0b", 3), "\xFF"})},
          {"uint16", as(kUInt16)},
          {"uint8", as(kUInt8)}};
}

TEST(V1, AllDTypesRoundTripWholeAndInSlices) {
  ScratchDir dir;
  ASSERT_TRUE(SaveV1(dir / "m", AllDTypes()).ok());
  ExpectSame(ReadAll(dir / "m"), AllDTypes());
  V1Reader reader = V1Reader::Open(dir / "m").value();
  V1Writer writer(dir / "s");
  for (const auto& [name, tensor] : AllDTypes()) {
    const TensorSlice first = Slice("0,1"), rest({{1, tensor.dim(0) - 1}});
    ASSERT_TRUE(
        writer.AddSlice(name, tensor.shape(), rest, reader.ReadSlice(name, rest).value()).ok());
    ASSERT_TRUE(
        writer.AddSlice(name, tensor.shape(), first, reader.ReadSlice(name, first).value()).ok());
  }
  ASSERT_TRUE(writer.Finish().ok());
  ExpectSame(ReadAll(dir / "s"), AllDTypes());
}

// Memory that the program did not make may hold any byte.
TEST(V1, BoolsAreWrittenAsZeroOrOne) {
  ScratchDir dir;
  Tensor odd(kBool, Shape{3});
  std::memcpy(odd.raw_data(), "\0\1\xfe", 3);
  ASSERT_TRUE(SaveV1(dir / "m", {{"b", odd}}).ok());
  V1Reader reader = V1Reader::Open(dir / "m").value();
  EXPECT_TRUE(reader.Read("b").value().BitwiseEquals(Tensor::Vector<bool>({false, true, true})));
}

TEST(V1, ShardsAreJoinedByName) {
  ScratchDir dir;
  for (int shard = 0; shard < 3; ++shard) {
    V1Writer writer(V1ShardPath(dir / "m", shard, 3));
    const TensorSlice rows({{2 * shard, 2}, {}});
    ASSERT_TRUE(writer.AddSlice("w", Shape{6, 2}, rows, Rows(static_cast<float>(4 * shard))).ok());
    ASSERT_TRUE(writer.Add(StrCat("own", shard), Tensor(shard)).ok());
    ASSERT_TRUE(writer.Finish().ok());
  }
  EXPECT_EQ(V1ShardPattern("m", 3), "m-\?\?\?\?\?-of-00003");
  V1Reader reader = V1Reader::Open(V1ShardPattern(dir / "m", 3)).value();
  EXPECT_EQ(reader.paths().size(), 3u);
  const Tensor w = reader.Read("w").value();
  for (int i = 0; i < 12; ++i) EXPECT_EQ(w.flat<float>()[i], static_cast<float>(i));
  EXPECT_EQ(reader.Read("own2")->scalar<int32_t>(), 2);
  ASSERT_TRUE(RemoveFile(V1ShardPath(dir / "m", 1, 3)).ok());
  reader = V1Reader::Open(V1ShardPattern(dir / "m", 3)).value();
  ExpectError(reader.Read("w").status(), Code::kInvalidArgument, "Error copying slice data");
  EXPECT_TRUE(reader.ReadSlice("w", Slice("4,2:-"))->BitwiseEquals(Rows(8)));
}

TEST(V1, ManyBlocksAndATensorWithItsOwnBlock) {
  ScratchDir dir;
  NamedTensors tensors;
  for (int i = 10000; i < 13000; ++i) {
    tensors.emplace_back(StrCat("layer/", i), Tensor::Vector<int32_t>({i, -i}));
  }
  tensors.emplace_back("layer/wide", Tensor::Of<float>(Shape{1 << 20}, {1.5f}));
  tensors.emplace_back("tail", Tensor(1.0));
  ASSERT_TRUE(SaveV1(dir / "m", tensors).ok());
  ExpectSame(ReadAll(dir / "m"), tensors);
}

TEST(V1, TensorsThatAreReadDuringFinish) {
  ScratchDir dir;
  std::vector<std::string> order;
  V1Writer writer(dir / "m");
  const auto later = [&](const std::string& name, Tensor tensor) {
    return writer.AddSliceLater(name, kFloat, Shape{}, TensorSlice(),
                                [=, &order]() -> StatusOr<Tensor> {
                                  order.push_back(name);
                                  return tensor;
                                });
  };
  ASSERT_TRUE(later("b", Tensor(2.0f)).ok());
  ASSERT_TRUE(later("a", Tensor(1.0f)).ok());
  EXPECT_TRUE(order.empty());
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_EQ(order, (std::vector<std::string>{"a", "b"}));
  ExpectSame(ReadAll(dir / "m"), {{"a", Tensor(1.0f)}, {"b", Tensor(2.0f)}});
}

TEST(V1, AFailedSaveLeavesWhatWasThere) {
  ScratchDir dir;
  ASSERT_TRUE(SaveV1(dir / "m", Whole()).ok());
  V1Writer writer(dir / "m");
  const auto fails = []() -> StatusOr<Tensor> { return DataLoss("gone"); };
  ASSERT_TRUE(writer.AddSliceLater("a", kFloat, Shape{}, TensorSlice(), fails).ok());
  ExpectError(writer.Finish(), Code::kDataLoss, "gone");
  ExpectSame(ReadAll(dir / "m"), Whole());
  EXPECT_EQ(ListDir(dir.path())->size(), 1u);
  ExpectError(SaveV1(dir / "missing/m", Whole()), Code::kNotFound, "No such file or directory");
  { V1Writer unfinished(dir / "never"); }
  EXPECT_FALSE(FileExists(dir / "never"));
}

TEST(V1, RefusesWhatTheFormatCannotHold) {
  ScratchDir dir;
  V1Writer writer(dir / "m");
  for (DType dtype : {kBFloat16, kUInt32, kUInt64, DType::kQInt16, DType::kQUInt16}) {
    ExpectError(writer.Add("x", Tensor(dtype, Shape{1})), Code::kUnimplemented,
                StrCat("Saving data type ", DTypeName(dtype), " not yet supported"));
  }
  ExpectError(writer.Add("", Tensor(1.0f)), Code::kInvalidArgument, "name must not be empty");
  ExpectError(writer.Add("x\xff", Tensor(1.0f)), Code::kInvalidArgument, "the name is not UTF-8");
  ExpectError(writer.Add("x", Tensor()), Code::kInvalidArgument, "holds nothing");
  ASSERT_TRUE(writer.Add("a", Tensor(1.0f)).ok());
  ExpectError(writer.Add("a", Tensor(2.0f)), Code::kInvalidArgument, "Adding duplicate key: a");
  ExpectError(writer.Add("a", Tensor::Vector<float>({1})), Code::kInternal,
              "Mismatching shapes: existing tensor = [], trying to add name a, shape = [1]");
  ExpectError(writer.Add("a", Tensor(1)), Code::kInternal,
              "Mismatching types: existing type = float, trying to add name a, type = int32");
  ExpectError(writer.AddSlice("b", Shape{4, 2}, Slice("0,3:-"), Rows(0)), Code::kInvalidArgument,
              "has shape [3,2], but the tensor to save has [2,2]");
  ASSERT_TRUE(writer.AddSlice("w", Shape{4, 2}, Slice("0,2:-"), Rows(0)).ok());
  ASSERT_TRUE(writer.AddSlice("w", Shape{4, 2}, Slice("1,2:-"), Rows(0)).ok());
  ExpectError(writer.Finish(), Code::kInternal,
              "Overlapping slices: existing slice = 0,2:0,2, new slice = 1,2:0,2");
  ExpectError(writer.Finish(), Code::kFailedPrecondition, "Finish was already called");
  EXPECT_FALSE(FileExists(dir / "m"));
}

// An UnreadBuffer claims a size without having memory, for values that nothing may read.
class UnreadBuffer final : public Buffer {
 public:
  explicit UnreadBuffer(size_t size) : Buffer(nullptr, size, nullptr) {}

 private:
  void Dispose() override { delete this; }
};

TEST(V1, ARecordOfTwoGibibytesIsRefusedBeforeItIsBuilt) {
  ScratchDir dir;
  V1Writer writer(dir / "m");
  constexpr int64_t kElements = 215'000'000;
  const Tensor big(kInt64, Shape{kElements},
                   BufferPtr::Adopt(new UnreadBuffer(kElements * sizeof(int64_t))));
  ASSERT_TRUE(writer.Add("big", big).ok());
  ExpectError(writer.Finish(), Code::kInvalidArgument,
              "Tensor slice is too large to serialize (conservative estimate: 2150001024 bytes)");
}

TEST(V1, MissingFilesAndNames) {
  ScratchDir dir;
  ExpectError(
      V1Reader::Open(dir / "m").status(), Code::kNotFound,
      StrCat("Unsuccessful TensorSliceReader constructor: Failed to find any matching files "
             "for ",
             dir / "m"));
  ASSERT_TRUE(SaveV1(dir / "m", Whole()).ok());
  V1Reader reader = V1Reader::Open(dir / "m").value();
  ExpectError(reader.Find("q").status(), Code::kNotFound,
              StrCat("Tensor name \"q\" not found in checkpoint files ", dir / "m"));
  ExpectError(reader.ReadSlice("e", Slice("0,1:-")).status(), Code::kInternal,
              "Extent in dimension 0 out of bounds");
}

TEST(V1, APathThatLooksLikeAPattern) {
  ScratchDir dir;
  ASSERT_TRUE(SaveV1(dir / "m[1]", Whole()).ok());
  ExpectSame(ReadAll(dir / "m[1]"), Whole());
  ASSERT_TRUE(SaveV1(V1ShardPath(dir / "s[1]?", 0, 1), Whole()).ok());
  ExpectSame(ReadAll(V1ShardPattern(dir / "s[1]?", 1)), Whole());
}

}  // namespace
}  // namespace ramet
