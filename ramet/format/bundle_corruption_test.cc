#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <new>

#include "ramet/base/coding.h"
#include "ramet/base/crc32c.h"
#include "ramet/format/bundle_testing.h"
#include "ramet/format/table_testing.h"
#include "ramet/proto/checkpoint.pb.h"
#include "ramet/tensor/tensor_proto.h"

// The largest block requested from operator new since it was reset. No input may raise it above a
// small multiple of the file sizes.
namespace {
std::atomic<size_t> largest_new{0};
}  // namespace

// The thread sanitizer's runtime has an operator new that cannot be replaced.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RAMET_FOREIGN_NEW
#endif
#endif

#ifndef RAMET_FOREIGN_NEW
namespace {
void* Allocate(size_t bytes) noexcept {
  size_t largest = largest_new.load();
  while (bytes > largest && !largest_new.compare_exchange_weak(largest, bytes)) {
  }
  return std::malloc(bytes > 0 ? bytes : 1);
}

void* AllocateOrThrow(size_t bytes) {
  void* block = Allocate(bytes);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
}  // namespace

void* operator new(size_t bytes) { return AllocateOrThrow(bytes); }
void* operator new[](size_t bytes) { return AllocateOrThrow(bytes); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return Allocate(bytes); }
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept { return Allocate(bytes); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t) noexcept { std::free(block); }
void operator delete[](void* block, size_t) noexcept { std::free(block); }
#endif

namespace ramet {
namespace {

constexpr size_t kAllowedNew = 16 << 20;
constexpr int64_t kAllowedTensor = 16 << 20;

// Reads everything in every way. Whatever the files contain, this must end with a Status and use
// bounded memory.
StatusOr<NamedTensors> ReadEverything(const std::string& prefix) {
  largest_new = 0;
  const HostAllocatorStats before = GetHostAllocatorStats();
  StatusOr<NamedTensors> tensors = LoadAll(prefix);
  EXPECT_LE(largest_new.load(), kAllowedNew);
  const HostAllocatorStats after = GetHostAllocatorStats();
  EXPECT_LE(after.bytes_cached + after.bytes_in_use - before.bytes_cached - before.bytes_in_use,
            kAllowedTensor);
  return tensors;
}

NamedTensors SampleTensors() {
  return {{"b/bool", Tensor::Vector<bool>({true, false})},
          {"f/matrix", Tensor::Of<float>(Shape{3, 2}, {1, 2, 3, 4, 5, 6})},
          {"f/matrix/slot", Tensor::Of<float>(Shape{3, 2}, {6, 5, 4, 3, 2, 1})},
          {"p", Tensor::Vector<int32_t>({1, 2, 3, 4})},
          {"s", Tensor::Vector<std::string>({"one", "", "three"})}};
}

void SaveSample(const std::string& prefix) {
  const NamedTensors tensors = SampleTensors();
  BundleWriter writer = BundleWriter::Create(prefix).value();
  for (const auto& [name, tensor] : tensors) {
    if (name == "p") continue;
    ASSERT_TRUE(writer.Add(name, tensor).ok());
  }
  const auto slice = [](const char* text) { return TensorSlice::Parse(text).value(); };
  ASSERT_TRUE(writer.AddSlice("p", Shape{4}, slice("0,1"), Tensor::Vector<int32_t>({1})).ok());
  ASSERT_TRUE(
      writer.AddSlice("p", Shape{4}, slice("1,3"), Tensor::Vector<int32_t>({2, 3, 4})).ok());
  ASSERT_TRUE(writer.Finish().ok());
}

bool IsCleanRefusal(const Status& status) {
  return IsDataLoss(status) || IsOutOfRange(status) || IsNotFound(status) ||
         IsInvalidArgument(status) || IsInternal(status) || IsUnimplemented(status) ||
         IsResourceExhausted(status);
}

class CorruptionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    SaveSample(prefix_);
    index_ = ReadFile(prefix_ + ".index").value();
    data_ = ReadFile(DataPath(prefix_)).value();
  }
  // Files that can be read must read as they were written.
  void ReadIndexOf(const std::string& bytes) {
    WriteFast(prefix_ + ".index", bytes);
    StatusOr<NamedTensors> read = ReadEverything(prefix_);
    if (read.ok()) {
      ExpectSame(*read, SampleTensors());
    } else {
      EXPECT_TRUE(IsCleanRefusal(read.status())) << read.status().ToString();
    }
  }
  static void WriteFast(const std::string& path, std::string_view bytes) {
    RemoveFile(path).IgnoreError();
    WritableFile file = WritableFile::Create(path).value();
    ASSERT_TRUE(file.Append(bytes).ok());
    ASSERT_TRUE(file.Close().ok());
  }

  ScratchDir dir_;
  std::string prefix_ = dir_ / "m";
  std::string index_;
  std::string data_;
};

TEST_F(CorruptionTest, EveryFlippedByteOfTheIndex) {
  for (size_t i = 0; i < index_.size(); ++i) {
    for (int mask : {0x01, 0x80, 0xFF}) {
      std::string bytes = index_;
      bytes[i] ^= static_cast<char>(mask);
      ReadIndexOf(bytes);
    }
  }
}

TEST_F(CorruptionTest, EveryLengthOfTheIndex) {
  for (size_t n = 0; n < index_.size(); ++n) {
    WriteFast(prefix_ + ".index", index_.substr(0, n));
    EXPECT_TRUE(IsDataLoss(ReadEverything(prefix_).status())) << n;
  }
}

TEST_F(CorruptionTest, EveryFlippedByteOfTheData) {
  for (size_t i = 0; i < data_.size(); ++i) {
    std::string bytes = data_;
    bytes[i] ^= 0x10;
    WriteFast(DataPath(prefix_), bytes);
    EXPECT_TRUE(IsDataLoss(ReadEverything(prefix_).status())) << i;
  }
}

TEST_F(CorruptionTest, EveryLengthOfTheData) {
  for (size_t n = 0; n < data_.size(); ++n) {
    WriteFast(DataPath(prefix_), data_.substr(0, n));
    const Status status = ReadEverything(prefix_).status();
    EXPECT_TRUE(IsOutOfRange(status)) << n << status.ToString();
  }
}

// Damage with correct checksums, as an attacker would write it: each byte of the first data block
// and of the index block in turn is replaced by several others.
TEST_F(CorruptionTest, DamageWithCorrectChecksums) {
  std::string_view footer = std::string_view(index_).substr(index_.size() - 48);
  std::map<uint64_t, uint64_t> blocks;
  uint64_t offset, size;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(TakeVarint64(&footer, &offset) && TakeVarint64(&footer, &size));
    blocks[offset] = size;
  }
  blocks[0] = blocks.begin()->first - 5;
  for (const auto& [start, length] : blocks) {
    for (uint64_t i = start; i < start + length; ++i) {
      for (int value : {0x00, 0x01, 0x7F, 0x80, 0xFF, index_[i] ^ 0x08}) {
        std::string bytes = index_;
        bytes[i] = static_cast<char>(value);
        const uint32_t crc = crc32c::Mask(crc32c::Value(bytes.data() + start, length + 1));
        std::string masked;
        AppendFixed32(&masked, crc);
        bytes.replace(start + length + 1, 4, masked);
        WriteFast(prefix_ + ".index", bytes);
        StatusOr<NamedTensors> read = ReadEverything(prefix_);
        EXPECT_TRUE(read.ok() || IsCleanRefusal(read.status())) << read.status().ToString();
      }
    }
  }
}

class HostileBundleTest : public ::testing::Test {
 protected:
  void SetUp() override { WriteBytes(DataPath(prefix_), std::string(64, '\1')); }
  // Reads a bundle with one record "t" over 64 bytes of data.
  Status ReadEntry(const BundleEntryProto& entry) { return ReadRecord(entry.SerializeAsString()); }
  Status ReadRecord(const std::string& record) {
    WriteRawIndex(prefix_, {{"", EncodeBundleHeader({})}, {"t", record}});
    return ReadEverything(prefix_).status();
  }
  Status ReadHeader(const BundleHeaderProto& header) {
    WriteRawIndex(prefix_,
                  {{"", header.SerializeAsString()}, {"t", FloatEntry().SerializeAsString()}});
    return ReadEverything(prefix_).status();
  }
  // Returns a valid entry: float[2].
  static BundleEntryProto FloatEntry() {
    BundleEntryProto entry;
    entry.set_dtype(DT_FLOAT);
    entry.mutable_shape()->add_dim()->set_size(2);
    entry.set_size(8);
    entry.set_crc32c(crc32c::Mask(crc32c::Value(std::string(8, '\1'))));
    return entry;
  }
  static BundleEntryProto WithDims(std::initializer_list<int64_t> dims) {
    BundleEntryProto entry = FloatEntry();
    entry.clear_shape();
    for (int64_t d : dims) entry.mutable_shape()->add_dim()->set_size(d);
    return entry;
  }
  static BundleEntryProto With(auto change) {
    BundleEntryProto entry = FloatEntry();
    change(entry);
    return entry;
  }

  ScratchDir dir_;
  std::string prefix_ = dir_ / "m";
};

TEST_F(HostileBundleTest, TheValidBundleReads) { EXPECT_TRUE(ReadEntry(FloatEntry()).ok()); }

TEST_F(HostileBundleTest, Headers) {
  WriteRawIndex(prefix_, {{"t", FloatEntry().SerializeAsString()}});
  ExpectError(ReadEverything(prefix_).status(), Code::kDataLoss, "there is no header entry");
  WriteRawIndex(prefix_, {});
  ExpectError(ReadEverything(prefix_).status(), Code::kDataLoss, "there is no header entry");
  WriteRawIndex(prefix_, {{"", "\xFF\xFF"}});
  ExpectError(ReadEverything(prefix_).status(), Code::kDataLoss,
              "(unable to parse header): Entry for key  not parseable.");
  BundleHeaderProto header;
  for (int shards : {0, -1, INT32_MIN}) {
    header.set_num_shards(shards);
    ExpectError(ReadHeader(header), Code::kDataLoss, "num_shards is ");
  }
  header.set_num_shards(INT32_MAX);
  ExpectError(ReadHeader(header), Code::kNotFound,
              "data-00000-of-2147483647; No such file or directory");
  header.set_num_shards(1);
  EXPECT_TRUE(ReadHeader(header).ok());
  header.mutable_version()->set_min_consumer(9);
  ExpectError(ReadHeader(header), Code::kInvalidArgument,
              StrCat(prefix_, ".index: Checkpoint min consumer version 9 above current version 1"));
  header.mutable_version()->set_min_consumer(0);
  header.mutable_version()->add_bad_consumers(1);
  ExpectError(ReadHeader(header), Code::kInvalidArgument, "disallows consumer version 1");
  header.clear_version();
  header.set_endianness(static_cast<BundleHeaderProto::Endianness>(7));
  ExpectError(ReadHeader(header), Code::kDataLoss, "endianness is 7");
}

TEST_F(HostileBundleTest, ShardsAndOffsets) {
  for (int shard : {1, -1, INT32_MAX}) {
    ExpectError(ReadEntry(With([&](auto& e) { e.set_shard_id(shard); })), Code::kDataLoss,
                "shard_id");
  }
  ExpectError(ReadEntry(With([](auto& e) { e.set_offset(-1); })), Code::kDataLoss, "offset -1");
  ExpectError(ReadEntry(With([](auto& e) { e.set_offset(INT64_MAX - 4); })), Code::kDataLoss,
              "offset");
  ExpectError(ReadEntry(With([](auto& e) { e.set_offset(INT64_MAX - 8); })), Code::kOutOfRange,
              "Read less bytes than requested");
  ExpectError(ReadEntry(With([](auto& e) { e.set_offset(57); })), Code::kOutOfRange,
              "Read less bytes than requested");
  ExpectError(ReadEntry(With([](auto& e) { e.set_size(-8); })), Code::kDataLoss, "size -8");
  ExpectError(ReadEntry(With([](auto& e) { e.set_size(9); })), Code::kDataLoss,
              "Invalid size in bundle entry: key t; stored size 9; expected size 8");
  ExpectError(ReadEntry(With([](auto& e) { e.set_crc32c(5); })), Code::kDataLoss,
              "Checksum does not match: stored ");
  ASSERT_TRUE(RemoveFile(DataPath(prefix_)).ok());
  ExpectError(ReadEntry(FloatEntry()), Code::kNotFound,
              "m.data-00000-of-00001; No such file or directory");
}

TEST_F(HostileBundleTest, ShapesAndDTypes) {
  ExpectError(ReadEntry(WithDims({-1})), Code::kDataLoss, "Entry for key t not parseable");
  ExpectError(ReadEntry(WithDims({-2})), Code::kDataLoss, "negative");
  ExpectError(ReadEntry(WithDims({int64_t{1} << 62, int64_t{1} << 62})), Code::kDataLoss,
              "overflow");
  ExpectError(ReadEntry(WithDims({int64_t{1} << 62})), Code::kInvalidArgument, "overflow");
  ExpectError(ReadEntry(WithDims({4194305, 4194305, 524000})), Code::kInvalidArgument, "overflow");
  ExpectError(ReadEntry(WithDims({int64_t{1} << 40})), Code::kDataLoss,
              "stored size 8; expected size 4398046511104");
  BundleEntryProto deep = FloatEntry();
  for (int i = 0; i < 300; ++i) deep.mutable_shape()->add_dim()->set_size(1);
  ExpectError(ReadEntry(deep), Code::kDataLoss, "rank 301");
  ExpectError(ReadEntry(With([](auto& e) { e.mutable_shape()->set_unknown_rank(true); })),
              Code::kDataLoss, "unknown rank");
  for (int dtype : {0, 9999, 101, -1}) {
    ExpectError(ReadEntry(With([&](auto& e) { e.set_dtype(static_cast<DataType>(dtype)); })),
                Code::kDataLoss, StrCat("dtype ", dtype));
  }
  ExpectError(ReadEntry(With([](auto& e) { e.set_dtype(DT_VARIANT); })), Code::kDataLoss,
              "its checksum does not match");
  for (int dtype : {DT_RESOURCE, DT_FLOAT8_E5M2}) {
    ExpectError(ReadEntry(With([&](auto& e) { e.set_dtype(static_cast<DataType>(dtype)); })),
                Code::kUnimplemented, "cannot be restored");
  }
}

TEST_F(HostileBundleTest, Records) {
  ExpectError(ReadRecord("\xFF\xFF\xFF"), Code::kDataLoss, "Entry for key t not parseable.");
  ExpectError(ReadRecord(""), Code::kDataLoss, "dtype 0");
  std::string padded = FloatEntry().SerializeAsString();
  padded += "\xFA\x07";
  AppendVarint64(&padded, 10 << 20);
  padded.append(10 << 20, 'u');
  EXPECT_TRUE(ReadRecord(padded).ok());
}

TEST_F(HostileBundleTest, Strings) {
  const auto read = [&](std::string bytes, int64_t n, int64_t size) {
    WriteBytes(DataPath(prefix_), bytes);
    BundleEntryProto entry;
    entry.set_dtype(DT_STRING);
    entry.mutable_shape()->add_dim()->set_size(n);
    entry.set_size(size);
    return ReadEntry(entry);
  };
  const std::string zeros(64, '\0');
  ExpectError(read(zeros, int64_t{1} << 40, 64), Code::kDataLoss, "expected size is at least");
  ExpectError(read(zeros, 61, 64), Code::kDataLoss, "expected size is at least");
  ExpectError(read(zeros, 0, 3), Code::kDataLoss, "expected size is at least");
  ExpectError(read(std::string(64, '\xFF'), 2, 64), Code::kDataLoss, "Invalid string lengths");
  ExpectError(read("\x7F" + zeros, 1, 64), Code::kDataLoss, "Invalid string lengths");
  ExpectError(read("\x01" + zeros, 1, 64), Code::kDataLoss, "they add up to 1");
  ExpectError(read("\x3B" + zeros, 1, 64), Code::kDataLoss,
              "The length checksum does not match: expected ");
  std::string huge = "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F";
  ExpectError(read(huge + zeros, 1, 64), Code::kDataLoss, "Invalid string lengths");
}

// Tests slices of one float[4] tensor.
class HostileSlicesTest : public HostileBundleTest {
 protected:
  static void AddSlice(BundleEntryProto* whole, int64_t start, int64_t length) {
    TensorSliceProto::Extent* extent = whole->add_slices()->add_extent();
    extent->set_start(start);
    extent->set_length(length);
  }
  static BundleEntryProto Whole() {
    BundleEntryProto whole;
    whole.set_dtype(DT_FLOAT);
    whole.mutable_shape()->add_dim()->set_size(4);
    return whole;
  }
  static std::string Key(int64_t start, int64_t length) {
    return BundleSliceKey("t", TensorSlice({{start, length}}));
  }
  Status ReadSlices(const BundleEntryProto& whole,
                    const std::vector<std::pair<std::string, BundleEntryProto>>& slices) {
    std::vector<std::pair<std::string, std::string>> records = {{"", EncodeBundleHeader({})}};
    for (const auto& [key, entry] : slices) records.emplace_back(key, entry.SerializeAsString());
    records.emplace_back("t", whole.SerializeAsString());
    WriteRawIndex(prefix_, records);
    return ReadEverything(prefix_).status();
  }
};

TEST_F(HostileSlicesTest, GoodMissingOverlappingAndOutside) {
  BundleEntryProto whole = Whole();
  AddSlice(&whole, 0, 2);
  AddSlice(&whole, 2, 2);
  EXPECT_TRUE(ReadSlices(whole, {{Key(0, 2), FloatEntry()}, {Key(2, 2), FloatEntry()}}).ok());
  ExpectError(ReadSlices(whole, {{Key(0, 2), FloatEntry()}}), Code::kDataLoss,
              "but there is no entry for it");
  BundleEntryProto nested = FloatEntry();
  AddSlice(&nested, 0, 2);
  ExpectError(ReadSlices(whole, {{Key(0, 2), FloatEntry()}, {Key(2, 2), nested}}), Code::kDataLoss,
              "itself in slices");
  ExpectError(ReadSlices(whole, {{Key(0, 2), FloatEntry()}, {Key(2, 2), WithDims({1})}}),
              Code::kDataLoss, "must be a stored float[2]");
  AddSlice(&whole, 1, 2);
  ExpectError(
      ReadSlices(whole,
                 {{Key(0, 2), FloatEntry()}, {Key(1, 2), FloatEntry()}, {Key(2, 2), FloatEntry()}}),
      Code::kInternal, "Overlapping slices: existing slice = 0,2, new slice = 1,2");
  for (auto [start, length] :
       {std::pair<int64_t, int64_t>{3, 2}, {-1, 2}, {0, -2}, {INT64_MAX, INT64_MAX}}) {
    BundleEntryProto outside = Whole();
    AddSlice(&outside, start, length);
    ExpectError(ReadSlices(outside, {}), Code::kDataLoss, "Entry for key t not parseable");
  }
  BundleEntryProto ranks = Whole();
  ranks.add_slices();
  ExpectError(ReadSlices(ranks, {}), Code::kDataLoss, "Mismatching ranks");
}

TEST_F(HostileSlicesTest, ATensorOfManySlicesOverTheSameBytesIsNotBuilt) {
  BundleEntryProto whole = Whole();
  whole.mutable_shape()->mutable_dim(0)->set_size(4000);
  std::vector<std::pair<std::string, BundleEntryProto>> slices;
  for (int64_t start = 0; start < 4000; start += 2) {
    AddSlice(&whole, start, 2);
    slices.emplace_back(Key(start, 2), FloatEntry());
  }
  ExpectError(ReadSlices(whole, slices), Code::kDataLoss, "needs more than the 64 bytes");
}

// 20,000 names of 100 KB each in an index of 1 MB.
TEST_F(HostileBundleTest, NamesThatShareALongPrefixAreNotSpelledOut) {
  using namespace table_testing;
  const std::string scope(100000, 's');
  const std::string record = FloatEntry().SerializeAsString();
  std::string entries = Entry(0, "", EncodeBundleHeader({})) + Entry(0, scope, record);
  for (int i = 0; i < 20000; ++i) {
    entries += Entry(scope.size(), StrCat(10000 + i), record);
  }
  WriteBytes(prefix_ + ".index", TableOf(BlockOf(entries)));
  ExpectError(BundleReader::Open(prefix_)->List().status(), Code::kResourceExhausted,
              "the names of its tensors");
  EXPECT_TRUE(BundleReader::Open(prefix_)->Read(scope + "12345").ok());
}

// An index of one save with the data of another, as left behind by a save that is not atomic.
TEST_F(HostileBundleTest, OldIndexWithNewData) {
  ScratchDir other;
  ASSERT_TRUE(Save(dir_ / "x", {{"a", Tensor::Vector<float>({1, 2})}, {"b", Tensor(1.f)}}).ok());
  ASSERT_TRUE(Save(other / "x", {{"a", Tensor::Vector<float>({3, 4})}, {"b", Tensor(2.f)}}).ok());
  ASSERT_TRUE(RenameFile(DataPath(other / "x"), DataPath(dir_ / "x")).ok());
  ExpectError(ReadEverything(dir_ / "x").status(), Code::kDataLoss, "Checksum does not match");
}

}  // namespace
}  // namespace ramet
