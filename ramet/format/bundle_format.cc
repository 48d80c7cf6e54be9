#include "ramet/format/bundle_format.h"

#include <cstdio>

#include "ramet/format/checkpoint_protos.h"
#include "ramet/format/ordered_code.h"
#include "ramet/proto/checkpoint.pb.h"
#include "ramet/tensor/tensor_proto.h"

namespace ramet {
namespace {

Status BadEntry(std::string_view key, std::string_view what) {
  return DataLoss("Entry for key ", PrintableBundleKey(key), " not parseable: ", what);
}

Status DecodeSlices(std::string_view key, const BundleEntryProto& proto, BundleEntry* entry) {
  for (const TensorSliceProto& slice_proto : proto.slices()) {
    StatusOr<TensorSlice> slice = SliceFromProto(slice_proto);
    if (!slice.ok()) return BadEntry(key, slice.status().message());
    if (Status in_tensor = slice->ShapeIn(entry->shape).status(); !in_tensor.ok()) {
      return BadEntry(key, in_tensor.message());
    }
    entry->slices.push_back(*std::move(slice));
  }
  return OkStatus();
}

}  // namespace

std::string BundleIndexPath(std::string_view prefix) { return StrCat(prefix, ".index"); }

std::string BundleDataPath(std::string_view prefix, int shard, int num_shards) {
  char suffix[48];
  std::snprintf(suffix, sizeof(suffix), ".data-%05d-of-%05d", shard, num_shards);
  return StrCat(prefix, suffix);
}

StatusOr<BundleHeader> DecodeBundleHeader(std::string_view bytes) {
  BundleHeaderProto proto;
  if (!ParseMessage(bytes, &proto)) return DataLoss("Entry for key  not parseable.");
  BundleHeader header;
  header.num_shards = proto.num_shards();
  header.big_endian = proto.endianness() == BundleHeaderProto::BIG;
  header.producer = proto.version().producer();
  header.min_consumer = proto.version().min_consumer();
  header.bad_consumers.assign(proto.version().bad_consumers().begin(),
                              proto.version().bad_consumers().end());
  RAMET_RETURN_IF_ERROR(CheckCheckpointVersions(proto.version()));
  if (header.num_shards < 1) {
    return DataLoss("Entry for key  not parseable: num_shards is ", header.num_shards);
  }
  if (proto.endianness() != BundleHeaderProto::LITTLE && !header.big_endian) {
    return DataLoss("Entry for key  not parseable: endianness is ",
                    static_cast<int>(proto.endianness()));
  }
  return header;
}

std::string EncodeBundleHeader(const BundleHeader& header) {
  BundleHeaderProto proto;
  proto.set_num_shards(header.num_shards);
  if (header.big_endian) proto.set_endianness(BundleHeaderProto::BIG);
  proto.mutable_version()->set_producer(header.producer);
  if (header.min_consumer != 0) proto.mutable_version()->set_min_consumer(header.min_consumer);
  for (int bad : header.bad_consumers) proto.mutable_version()->add_bad_consumers(bad);
  return proto.SerializeAsString();
}

StatusOr<BundleEntry> DecodeBundleEntry(std::string_view key, std::string_view bytes,
                                        int num_shards) {
  BundleEntryProto proto;
  if (!ParseMessage(bytes, &proto))
    return DataLoss("Entry for key ", PrintableBundleKey(key), " not parseable.");
  BundleEntry entry;
  entry.dtype = static_cast<DType>(proto.dtype());
  StatusOr<Shape> shape = ShapeFromProto(proto.shape());
  if (!shape.ok()) return BadEntry(key, shape.status().message());
  if (!shape->IsFullyDefined()) return BadEntry(key, StrCat("shape ", *shape));
  entry.shape = *std::move(shape);
  entry.shard = proto.shard_id();
  entry.offset = proto.offset();
  entry.size = proto.size();
  entry.masked_crc = proto.crc32c();
  if (entry.shard < 0 || (proto.slices().empty() && entry.shard >= num_shards)) {
    return BadEntry(key, StrCat("shard_id ", entry.shard, " of ", num_shards, " shards"));
  }
  if (entry.offset < 0 || entry.size < 0 || entry.offset > INT64_MAX - entry.size) {
    return BadEntry(key, StrCat("offset ", entry.offset, ", size ", entry.size));
  }
  RAMET_RETURN_IF_ERROR(DecodeSlices(key, proto, &entry));
  return entry;
}

std::string EncodeBundleEntry(const BundleEntry& entry) {
  BundleEntryProto proto;
  proto.set_dtype(static_cast<DataType>(entry.dtype));
  ShapeToProto(entry.shape, proto.mutable_shape());
  proto.set_shard_id(entry.shard);
  proto.set_offset(entry.offset);
  proto.set_size(entry.size);
  proto.set_crc32c(entry.masked_crc);
  for (const TensorSlice& slice : entry.slices) SliceToProto(slice, proto.add_slices());
  return proto.SerializeAsString();
}

std::string BundleSliceKey(std::string_view name, const TensorSlice& slice) {
  std::string key;
  ordered_code::AppendUnsigned(&key, 0);
  ordered_code::AppendString(&key, name);
  ordered_code::AppendUnsigned(&key, static_cast<uint64_t>(slice.rank()));
  for (const TensorSlice::Extent& e : slice.extents()) {
    ordered_code::AppendSigned(&key, e.start);
    ordered_code::AppendSigned(&key, e.length);
  }
  return key;
}

std::string PrintableBundleKey(std::string_view key) {
  if (!IsBundleSliceKey(key)) return std::string(key);
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string text = "slice key ";
  for (char c : key) {
    const uint8_t byte = static_cast<uint8_t>(c);
    if (byte > ' ' && byte < 0x7F && c != '\\') {
      text += c;
    } else {
      text += StrCat("\\x", kHex[byte >> 4], kHex[byte & 15]);
    }
  }
  return text;
}

}  // namespace ramet
