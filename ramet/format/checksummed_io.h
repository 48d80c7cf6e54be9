#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ramet/base/file.h"
#include "ramet/base/side_thread.h"
#include "ramet/base/status.h"

// Bytes to and from files with their CRC-32C. From a megabyte on, `side` takes part if there is
// one, so that the checksum costs no time of its own.
namespace ramet {

// Appends the data; *crc becomes the CRC of what it was of, followed by the data. \error of
// writing.
Status AppendChecksummed(std::string_view data, WritableFile* file, uint32_t* crc,
                         SideThread* side);

// Fills `out` from `offset` on; *crc as above. \error of reading.
Status ReadChecksummed(const RandomAccessFile& file, uint64_t offset, std::span<char> out,
                       uint32_t* crc, SideThread* side);

}  // namespace ramet
