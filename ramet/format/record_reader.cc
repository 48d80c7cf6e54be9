#include "ramet/format/record_reader.h"

#include "ramet/base/coding.h"
#include "ramet/base/crc32c.h"

namespace ramet {
namespace {

constexpr size_t kHeaderBytes = 12;  // the length, its checksum
constexpr size_t kTrailerBytes = 4;  // the checksum of the bytes

bool IsChecksumOf(const char* checksum, std::string_view bytes) {
  return crc32c::Unmask(DecodeFixed32(checksum)) == crc32c::Value(bytes);
}

Status Truncated(const ByteStream& stream, uint64_t at) {
  return DataLoss("truncated record at ", at, "' failed with Read less bytes than requested in '",
                  stream.path(), "'");
}

Status Corrupted(const ByteStream& stream, uint64_t at) {
  return DataLoss("corrupted record at ", at, " in '", stream.path(), "'");
}

}  // namespace

StatusOr<bool> ReadRecord(ByteStream& stream, std::string* record) {
  const uint64_t start = stream.offset();
  std::string header;
  RAMET_ASSIGN_OR_RETURN(const uint64_t header_bytes, stream.Read(kHeaderBytes, &header));
  if (header_bytes == 0) return false;
  if (header_bytes < kHeaderBytes) return Truncated(stream, start);
  if (!IsChecksumOf(header.data() + 8, std::string_view(header).substr(0, 8))) {
    return Corrupted(stream, start);
  }
  const uint64_t length = DecodeFixed64(header.data());
  record->clear();
  RAMET_ASSIGN_OR_RETURN(const uint64_t found, stream.Read(length, record));
  std::string trailer;
  RAMET_ASSIGN_OR_RETURN(const uint64_t trailer_bytes, stream.Read(kTrailerBytes, &trailer));
  if (found < length || trailer_bytes < kTrailerBytes) return Truncated(stream, start);
  if (!IsChecksumOf(trailer.data(), *record)) return Corrupted(stream, start);
  return true;
}

}  // namespace ramet
