#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ramet/base/file.h"
#include "ramet/base/side_thread.h"
#include "ramet/base/status.h"

// Reads and writes files while computing the CRC-32C of the data. For a megabyte or more, `side`
// (if not null) computes it in parallel.
namespace ramet {

// Appends the data to the file and extends *crc by it.
// \error any error of writing.
Status AppendChecksummed(std::string_view data, WritableFile* file, uint32_t* crc,
                         SideThread* side);

// Fills `out` from `offset` on and extends *crc by the data.
// \error any error of reading.
Status ReadChecksummed(const RandomAccessFile& file, uint64_t offset, std::span<char> out,
                       uint32_t* crc, SideThread* side);

}  // namespace ramet
