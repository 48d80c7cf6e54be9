#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "ramet/base/crc32c.h"
#include "ramet/format/bundle_testing.h"

// Reads boxes of every dtype from bundles of either endianness.
namespace ramet {
namespace {

const Shape kShape{5, 3};
constexpr const char* kStored[] = {"0,2:-", "2,3:0,1", "2,3:1,2"};
constexpr const char* kAsked[] = {"-:-", "0,2:-", "1,3:0,2", "4,1:2,1", "0,5:1,1"};

std::vector<DType> FlatDTypes() {
  std::vector<DType> dtypes;
  for (int i = 1; i <= 23; ++i) {
    if (DTypeSize(static_cast<DType>(i)) > 0) dtypes.push_back(static_cast<DType>(i));
  }
  return dtypes;
}

Tensor RandomBits(DType dtype) {
  Tensor t(dtype, kShape);
  std::mt19937 random(static_cast<uint32_t>(dtype));
  for (size_t i = 0; i < t.bytes(); ++i) {
    static_cast<uint8_t*>(t.raw_data())[i] =
        static_cast<uint8_t>(dtype == DType::kBool ? random() % 2 : random());
  }
  return t;
}

Tensor Cut(const Tensor& whole, const TensorSlice& slice) {
  Tensor part(whole.dtype(), slice.ShapeIn(whole.shape()).value());
  CopyOverlap(whole, TensorSlice::Whole(whole.rank()).Explicit(whole.shape()),
              slice.Explicit(whole.shape()), &part);
  return part;
}

// Returns the elements as stored in a bundle of the opposite endianness.
std::string Swapped(const Tensor& t) {
  std::string bytes(static_cast<const char*>(t.raw_data()), t.bytes());
  const size_t unit = DTypeSize(t.dtype()) / (IsComplex(t.dtype()) ? 2 : 1);
  for (size_t i = 0; i < bytes.size(); i += unit) {
    std::reverse(bytes.begin() + static_cast<int64_t>(i),
                 bytes.begin() + static_cast<int64_t>(i + unit));
  }
  return bytes;
}

void WriteLittle(const std::string& prefix, const Tensor& whole) {
  BundleWriter writer = BundleWriter::Create(prefix).value();
  ASSERT_TRUE(writer.Add("whole", whole).ok());
  for (const char* slice : kStored) {
    ASSERT_TRUE(writer.AddSlice("cut", kShape, Slice(slice), Cut(whole, Slice(slice))).ok());
  }
  ASSERT_TRUE(writer.Finish().ok());
}

void WriteBig(const std::string& prefix, const Tensor& whole) {
  std::string data;
  const auto append = [&](const Tensor& t) {
    const std::string bytes = Swapped(t);
    const BundleEntry entry{t.dtype(),
                            t.shape(),
                            0,
                            std::ssize(data),
                            std::ssize(bytes),
                            crc32c::Mask(crc32c::Value(bytes)),
                            {}};
    data += bytes;
    return EncodeBundleEntry(entry);
  };
  BundleHeader header;
  header.big_endian = true;
  BundleEntry cut{whole.dtype(), kShape, 0, 0, 0, 0, {}};
  std::map<std::string, std::string> records = {{"", EncodeBundleHeader(header)},
                                                {"whole", append(whole)}};
  for (const char* slice : kStored) {
    cut.slices.push_back(Slice(slice));
    records[BundleSliceKey("cut", Slice(slice))] = append(Cut(whole, Slice(slice)));
  }
  records["cut"] = EncodeBundleEntry(cut);
  WriteRawIndex(prefix, {records.begin(), records.end()});
  WriteBytes(DataPath(prefix), data);
}

void ExpectBoxes(const std::string& prefix, const Tensor& whole) {
  BundleReader reader = BundleReader::Open(prefix).value();
  for (const char* name : {"whole", "cut"}) {
    const BundleRecord record = reader.FindRecord(name).value();
    EXPECT_EQ(record.name(), name);
    EXPECT_EQ(record.shape(), whole.shape());
    ASSERT_TRUE(reader.Read(record)->BitwiseEquals(whole)) << name;
    ASSERT_TRUE(reader.OpenDataOf(record).ok()) << name;
    for (const char* asked : kAsked) {
      const Tensor expected = Cut(whole, Slice(asked));
      const std::string where = StrCat(DTypeName(whole.dtype()), " ", name, " ", asked);
      EXPECT_TRUE(reader.ReadSlice(name, Slice(asked))->BitwiseEquals(expected)) << where;
      EXPECT_TRUE(reader.ReadSlice(record, Slice(asked))->BitwiseEquals(expected)) << where;
      EXPECT_TRUE(reader.ReadSliceUnverified(name, Slice(asked))->BitwiseEquals(expected)) << where;
      const auto restored = ReadBundle(
          prefix, std::vector<BundleRequest>{{name, whole.dtype(), StrCat("5 3 ", asked)}});
      EXPECT_TRUE(restored.value()[0].BitwiseEquals(expected)) << where;
    }
  }
}

TEST(BundleSlices, EveryDTypeInLittleEndian) {
  for (DType dtype : FlatDTypes()) {
    ScratchDir dir;
    WriteLittle(dir / "m", RandomBits(dtype));
    ExpectBoxes(dir / "m", RandomBits(dtype));
  }
}

TEST(BundleSlices, EveryDTypeInBigEndian) {
  for (DType dtype : FlatDTypes()) {
    ScratchDir dir;
    WriteBig(dir / "m", RandomBits(dtype));
    ExpectBoxes(dir / "m", RandomBits(dtype));
  }
}

TEST(BundleSlices, Strings) {
  ScratchDir dir;
  Tensor words(kString, kShape);
  for (int i = 0; i < 15; ++i) words.mutable_data<std::string>()[i] = std::string(i * i, 'a');
  WriteLittle(dir / "m", words);
  ExpectBoxes(dir / "m", words);
}

}  // namespace
}  // namespace ramet
