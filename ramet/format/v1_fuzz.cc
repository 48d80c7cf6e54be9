#include "ramet/format/bundle_format.h"
#include "ramet/format/fuzz_testing.h"
#include "ramet/format/v1_format.h"
#include "ramet/format/v1_reader.h"

// The input has two pieces: the record of the tensors and the record of each of their slices. If
// the first piece is empty, the rest is a whole file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace ramet;
  std::string_view rest(reinterpret_cast<const char*>(bytes), size);
  const std::string_view meta = fuzz_testing::TakePiece(&rest);
  std::map<std::string, std::string> records = {{"", std::string(meta)}};
  if (StatusOr<std::vector<CheckpointTensor>> tensors = DecodeV1Meta(meta); tensors.ok()) {
    for (const CheckpointTensor& tensor : *tensors) {
      for (const TensorSlice& s : tensor.slices) records[BundleSliceKey(tensor.name, s)] = rest;
    }
  }
  const std::string file = meta.empty() ? std::string(rest) : fuzz_testing::TableOfRecords(records);
  StatusOr<V1Reader> reader = V1Reader::Open(fuzz_testing::WriteInput("v1", file));
  if (!reader.ok()) return 0;
  for (const CheckpointTensor& tensor : reader->List()) {
    reader->Read(tensor.name).status().IgnoreError();
    std::vector<TensorSlice::Extent> corner(static_cast<size_t>(tensor.shape.rank()), {0, 1});
    reader->ReadSlice(tensor.name, TensorSlice(std::move(corner))).status().IgnoreError();
  }
  return 0;
}
