#pragma once

#include "ramet/format/byte_stream.h"
#include "ramet/ops/queue/reader.h"

namespace ramet {

// The layout of a file with records of one size: a header, the records, a footer.
struct FixedLengthFormat {
  int64_t header_bytes = 0, record_bytes = 0, footer_bytes = 0;
  int64_t hop_bytes = 0;  // from one record to the next
  FileCompression compression = FileCompression::kNone;
};

// Functions that open the work items of a Reader. Keys of records are "PATH:N" with the number of
// the line (from 1), the offset or the number of the record (from 0); of whole files, the path.
Reader::Open OpensIdentity();
Reader::Open OpensWholeFiles();
Reader::Open OpensLines(int64_t skipped_lines);
Reader::Open OpensTfRecords(FileCompression compression);
Reader::Open OpensFixedLength(const FixedLengthFormat& format);

}  // namespace ramet
