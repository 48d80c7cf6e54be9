#include <gtest/gtest.h>
#include <snappy-c.h>

#include <map>

#include "ramet/base/coding.h"
#include "ramet/format/bundle_testing.h"
#include "ramet/format/table_reader.h"
#include "ramet/format/table_testing.h"
#include "ramet/format/v1_format.h"
#include "ramet/format/v1_reader.h"
#include "ramet/format/v1_writer.h"
#include "ramet/proto/checkpoint.pb.h"

namespace ramet {
namespace {

using Records = std::map<std::string, std::string>;

void WriteTable(const std::string& path, const Records& records) {
  RemoveFile(path).IgnoreError();
  TableWriter table = TableWriter::Create(path).value();
  for (const auto& [key, value] : records) ASSERT_TRUE(table.Add(key, value).ok());
  ASSERT_TRUE(table.Finish().ok());
}

// Writes a file of tensors without records of their values.
void WriteMeta(const std::string& path, const SavedTensorSlices& meta) {
  WriteTable(path, {{"", meta.SerializeAsString()}});
}

// Returns the record of one float tensor "w" of this shape, stored whole.
SavedTensorSlices MetaOf(std::initializer_list<int64_t> dims) {
  SavedTensorSlices meta;
  SavedSliceMeta* tensor = meta.mutable_meta()->add_tensor();
  tensor->set_name("w");
  tensor->set_type(DT_FLOAT);
  TensorSliceProto* slice = tensor->add_slice();
  for (int64_t dim : dims) {
    tensor->mutable_shape()->add_dim()->set_size(dim);
    slice->add_extent();
  }
  return meta;
}

Status OpenError(const std::string& path) { return V1Reader::Open(path).status(); }

Status ReadError(const std::string& path) {
  StatusOr<V1Reader> reader = V1Reader::Open(path);
  if (!reader.ok()) return reader.status();
  return reader->Read("w").status();
}

class HostileV1 : public ::testing::Test {
 protected:
  Status Open(const SavedTensorSlices& meta) {
    WriteMeta(path_, meta);
    return OpenError(path_);
  }
  Status ReadRecord(const SavedTensorSlices& meta, const std::string& record) {
    const int rank = meta.meta().tensor(0).shape().dim_size();
    WriteTable(path_, {{"", meta.SerializeAsString()},
                       {BundleSliceKey("w", TensorSlice::Whole(rank)), record}});
    return ReadError(path_);
  }
  ScratchDir dir_;
  const std::string path_ = dir_ / "m";
};

TEST_F(HostileV1, InvalidFiles) {
  WriteBytes(path_, "");
  ExpectError(OpenError(path_), Code::kDataLoss,
              StrCat("Unable to open table file ", path_,
                     ": DATA_LOSS: file is too short to be an sstable"));
  WriteBytes(path_, std::string(100, 'x'));
  ExpectError(OpenError(path_), Code::kDataLoss,
              ": perhaps your file is in a different file format and you need to use a different "
              "restore operator?");
  WriteTable(path_, {{"a", "b"}});
  ExpectError(OpenError(path_), Code::kInternal,
              StrCat("Failed to find the saved tensor slices at the beginning of the checkpoint "
                     "file: ",
                     path_));
  WriteTable(path_, {{"", "\xFF\xFF"}});
  ExpectError(OpenError(path_), Code::kInternal, "the record is not parseable");
  WriteTable(path_, {{"", ""}});
  ExpectError(OpenError(path_), Code::kInternal, "Failed to find the saved tensor slices");
}

TEST_F(HostileV1, VersionsShapesAndSlices) {
  SavedTensorSlices meta = MetaOf({2});
  meta.mutable_meta()->mutable_versions()->set_min_consumer(9);
  ExpectError(Open(meta), Code::kInvalidArgument,
              "Checkpoint min consumer version 9 above current version 1");
  ExpectError(Open(MetaOf({-2})), Code::kDataLoss, "m: tensor w: ");
  ExpectError(Open(MetaOf({-1})), Code::kDataLoss, "its shape is [?]");
  ExpectError(Open(MetaOf({int64_t{1} << 40, int64_t{1} << 40})), Code::kDataLoss, "tensor w: ");
  meta = MetaOf({4});
  auto* extent = meta.mutable_meta()->mutable_tensor(0)->mutable_slice(0)->mutable_extent(0);
  const auto with_extent = [&](int64_t start, int64_t length) {
    extent->set_start(start);
    extent->set_length(length);
    return Open(meta);
  };
  ExpectError(with_extent(-1, 2), Code::kDataLoss, "tensor w: a slice extent -1,2");
  ExpectError(with_extent(1, INT64_MAX), Code::kDataLoss, "Extent in dimension 0 out of bounds");
  ExpectError(with_extent(INT64_MAX, INT64_MAX), Code::kDataLoss, "out of bounds");
  meta = MetaOf({4});
  meta.mutable_meta()->mutable_tensor(0)->mutable_slice(0)->add_extent();
  ExpectError(Open(meta), Code::kDataLoss, "Mismatching ranks");
  meta = MetaOf({4});
  *meta.mutable_meta()->mutable_tensor(0)->add_slice() = meta.meta().tensor(0).slice(0);
  ExpectError(Open(meta), Code::kInternal, "Overlapping slices: existing slice = 0,4");
}

TEST_F(HostileV1, InconsistentTensors) {
  SavedTensorSlices meta = MetaOf({2});
  *meta.mutable_meta()->add_tensor() = MetaOf({3}).meta().tensor(0);
  ExpectError(Open(meta), Code::kInternal,
              "Incompatible tensor shapes detected for tensor w: existing = [2], new = [3]");
  meta = MetaOf({2});
  *meta.mutable_meta()->add_tensor() = MetaOf({2}).meta().tensor(0);
  meta.mutable_meta()->mutable_tensor(1)->set_type(DT_INT32);
  ExpectError(Open(meta), Code::kInternal,
              "Incompatible tensor types detected for tensor w: existing = float, new = int32");
}

TEST_F(HostileV1, RecordsOfValues) {
  WriteMeta(path_, MetaOf({2}));
  ExpectError(ReadError(path_), Code::kDataLoss,
              StrCat(path_, ": tensor w, slice '-': there is no record of it"));
  const auto record = [](const Tensor& t) {
    return EncodeV1Slice("w", TensorSlice::Whole(t.rank()), t).value();
  };
  EXPECT_TRUE(ReadRecord(MetaOf({2}), record(Tensor::Vector<float>({1, 2}))).ok());
  ExpectError(ReadRecord(MetaOf({2}), "\xFF"), Code::kDataLoss, "its record is not parseable");
  ExpectError(ReadRecord(MetaOf({2}), ""), Code::kDataLoss, "its record is not parseable");
  ExpectError(ReadRecord(MetaOf({2}), record(Tensor(1.5f))), Code::kDataLoss,
              "its record holds 1 values of dtype float, but shape [2] has 2 elements");
  ExpectError(ReadRecord(MetaOf({2}), record(Tensor::Vector<int32_t>({1, 2}))), Code::kDataLoss,
              "its record holds 0 values");
  ExpectError(ReadRecord(MetaOf({int64_t{1} << 40}), record(Tensor(1.5f))), Code::kDataLoss,
              "needs more than the");
  SavedTensorSlices content;
  content.mutable_data()->mutable_data()->set_tensor_content("12345678");
  ExpectError(ReadRecord(MetaOf({2}), content.SerializeAsString()), Code::kDataLoss,
              "its record holds 0 values");
}

TEST_F(HostileV1, UnsupportedDTypes) {
  for (int dtype : {0, 101, 9999}) {
    SavedTensorSlices meta = MetaOf({1});
    meta.mutable_meta()->mutable_tensor(0)->set_type(static_cast<DataType>(dtype));
    const Status status = ReadRecord(meta, "x");
    EXPECT_FALSE(status.ok()) << dtype;
    EXPECT_NE(status.message().find("tensor w"), std::string::npos) << status.message();
  }
  SavedTensorSlices meta = MetaOf({1});
  meta.mutable_meta()->mutable_tensor(0)->set_type(DT_VARIANT);
  ExpectError(ReadRecord(meta, "x"), Code::kUnimplemented, "variant cannot be restored");
}

TEST_F(HostileV1, AMillionTensors) {
  std::string record;
  for (int i = 0; i < 1'000'000; ++i) {
    SavedSliceMeta tensor = MetaOf({}).meta().tensor(0);
    tensor.set_name(std::to_string(i));
    const std::string bytes = tensor.SerializeAsString();
    record.push_back('\x0A');
    AppendVarint64(&record, bytes.size());
    record += bytes;
  }
  std::string meta = "\x0A";
  AppendVarint64(&meta, record.size());
  WriteTable(path_, {{"", meta + record}});
  V1Reader reader = V1Reader::Open(path_).value();
  EXPECT_EQ(reader.List().size(), 1'000'000u);
  ExpectError(reader.Read("7").status(), Code::kDataLoss, "there is no record of it");
}

TEST_F(HostileV1, EveryDamagedByteAndEveryLength) {
  V1Writer writer(path_);
  ASSERT_TRUE(
      writer.AddSlice("w", Shape{2, 2}, Slice("0,1:-"), Tensor::Of<float>({1, 2}, {1, 2})).ok());
  ASSERT_TRUE(
      writer.AddSlice("w", Shape{2, 2}, Slice("1,1:-"), Tensor::Of<float>({1, 2}, {3, 4})).ok());
  ASSERT_TRUE(writer.Add("s", Tensor("text")).ok());
  ASSERT_TRUE(writer.Finish().ok());
  const std::string good = ReadFile(path_).value();
  const Tensor w = V1Reader::Open(path_)->Read("w").value();
  int unnoticed = 0;
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 0x10;
    WriteBytes(path_, bad);
    StatusOr<V1Reader> reader = V1Reader::Open(path_);
    if (!reader.ok()) continue;
    StatusOr<Tensor> read = reader->Read("w");
    if (!read.ok()) continue;
    EXPECT_TRUE(read->BitwiseEquals(w)) << "byte " << i;
    ++unnoticed;
    WriteBytes(path_, good.substr(0, i));
    EXPECT_FALSE(OpenError(path_).ok()) << "length " << i;
  }
  // The metaindex block, which is not read, and the padding of the footer.
  EXPECT_LT(unnoticed, 60);
}

TEST_F(HostileV1, BlocksThatSnappyCompressed) {
  V1Writer writer(path_);
  const Tensor zeros = Tensor::Of<float>({100}, {0.0f});
  ASSERT_TRUE(writer.Add("w", zeros).ok());
  ASSERT_TRUE(writer.Finish().ok());
  const std::string plain = ReadFile(path_).value();
  std::string entries;
  TableReader table = TableReader::Open(path_).value();
  while (table.valid()) {
    entries += table_testing::Entry(0, table.key(), table.value());
    ASSERT_TRUE(table.Next().ok());
  }
  const std::string block = table_testing::BlockOf(entries);
  std::string packed(snappy_max_compressed_length(block.size()), '\0');
  size_t size = packed.size();
  ASSERT_EQ(snappy_compress(block.data(), block.size(), packed.data(), &size), SNAPPY_OK);
  packed.resize(size);
  WriteBytes(path_, table_testing::TableOf(packed, 1));
  EXPECT_LT(ReadFile(path_)->size(), plain.size());
  EXPECT_TRUE(V1Reader::Open(path_)->Read("w")->BitwiseEquals(zeros));
}

}  // namespace
}  // namespace ramet
