#include "ramet/base/crc32c.h"
#include "ramet/format/bundle_format.h"
#include "ramet/format/bundle_reader.h"
#include "ramet/format/fuzz_testing.h"

namespace {

using namespace ramet;

// Returns the record with the checksum of the bytes that it names, if these exist.
std::string WithChecksum(std::string_view key, std::string_view record, std::string_view data) {
  StatusOr<BundleEntry> entry = DecodeBundleEntry(key, record, 1 << 20);
  if (!entry.ok() || static_cast<uint64_t>(entry->offset) > data.size()) return std::string(record);
  const std::string_view bytes =
      data.substr(static_cast<size_t>(entry->offset), static_cast<size_t>(entry->size));
  entry->masked_crc = crc32c::Mask(crc32c::Value(bytes));
  return EncodeBundleEntry(*entry);
}

void ReadEverything(const std::string& prefix) {
  StatusOr<BundleReader> reader = BundleReader::Open(prefix);
  if (!reader.ok()) return;
  StatusOr<std::vector<BundleTensor>> list = reader->List();
  if (!list.ok()) return;
  for (const BundleTensor& tensor : *list) {
    reader->Read(tensor.name).status().IgnoreError();
    for (const TensorSlice& slice : tensor.slices) {
      reader->ReadSlice(tensor.name, slice).status().IgnoreError();
    }
    const auto drop = [](std::string_view) { return OkStatus(); };
    const TensorSlice stored =
        tensor.slices.empty() ? TensorSlice::Whole(tensor.shape.rank()) : tensor.slices[0];
    reader->ReadPieces(tensor.name, stored, drop).IgnoreError();
    if (StatusOr<MappedTensor> mapped = reader->Map(tensor.name); mapped.ok()) {
      mapped->Verify().IgnoreError();
    }
    std::vector<TensorSlice::Extent> corner(static_cast<size_t>(tensor.shape.rank()), {0, 1});
    const TensorSlice box(std::move(corner));
    const StatusOr<Tensor> verified = reader->ReadSlice(tensor.name, box);
    const StatusOr<Tensor> quick = reader->ReadSliceUnverified(tensor.name, box);
    if (verified.ok() && (!quick.ok() || !quick->BitwiseEquals(*verified))) std::abort();
  }
}

}  // namespace

// The input has three pieces (the header, a tensor's record, the record of its slices) and then the
// data file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  std::string_view data(reinterpret_cast<const char*>(bytes), size);
  const std::string_view header = fuzz_testing::TakePiece(&data);
  const std::string_view tensor = fuzz_testing::TakePiece(&data);
  const std::string_view slice = fuzz_testing::TakePiece(&data);
  std::map<std::string, std::string> records = {{"", std::string(header)},
                                                {"t", WithChecksum("t", tensor, data)}};
  StatusOr<BundleEntry> entry = DecodeBundleEntry("t", tensor, 1);
  if (entry.ok()) {
    for (const TensorSlice& s : entry->slices) {
      records[BundleSliceKey("t", s)] = WithChecksum("slice", slice, data);
    }
  }
  const std::string index =
      fuzz_testing::WriteInput("m.index", fuzz_testing::TableOfRecords(records));
  fuzz_testing::WriteInput("m.data-00000-of-00001", data);
  ReadEverything(index.substr(0, index.size() - 6));
  return 0;
}
