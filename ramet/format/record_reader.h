#pragma once

#include <string>

#include "ramet/format/byte_stream.h"

namespace ramet {

// Reads the next record of a TFRecord file (a length, its checksum, the bytes, their checksum) into
// *record. Returns false at the end. Memory is allocated as the file fills it.
// \error kDataLoss: a checksum is wrong ("corrupted record at 12"), or the file ends within a
//   record ("truncated record at 12").
StatusOr<bool> ReadRecord(ByteStream& stream, std::string* record);

}  // namespace ramet
