#include "ramet/format/fuzz_testing.h"
#include "ramet/format/safetensors.h"

namespace {

// Returns a file with only the header, preceded by its length and followed by the remaining bytes
// as data.
std::string WithLength(std::string_view bytes) {
  const std::string_view header = ramet::fuzz_testing::TakePiece(&bytes);
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i));
  return ramet::StrCat(file, header, bytes);
}

}  // namespace

// The first byte selects what the rest is: a whole file; or the length of a header in two bytes,
// the header and the data.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ramet;
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string file = data[0] % 2 == 0 ? std::string(rest) : WithLength(rest);
  const auto reader = SafetensorsReader::Open(fuzz_testing::WriteInput("safetensors", file));
  if (!reader.ok()) return 0;
  uint64_t end = 0;
  for (const SafetensorsEntry& entry : reader->entries()) {
    if (entry.begin != end || entry.end < entry.begin) std::abort();
    end = entry.end;
    const StatusOr<Tensor> tensor = reader->Read(entry.name);
    if (tensor.ok() && (tensor->bytes() != entry.end - entry.begin ||
                        tensor->dtype() != entry.dtype || tensor->shape() != entry.shape)) {
      std::abort();
    }
  }
  if (end > file.size()) std::abort();
  return 0;
}
