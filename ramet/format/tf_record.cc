#include "ramet/format/tf_record.h"

#include <utility>

#include "ramet/base/coding.h"
#include "ramet/base/crc32c.h"
#include "ramet/format/byte_stream.h"
#include "ramet/format/record_reader.h"

namespace ramet {

struct TFRecordReader::Impl {
  std::unique_ptr<ByteStream> stream;
};

TFRecordReader::TFRecordReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TFRecordReader::~TFRecordReader() = default;

StatusOr<std::unique_ptr<TFRecordReader>> TFRecordReader::Open(const std::string& path) {
  RAMET_ASSIGN_OR_RETURN(auto stream, ByteStream::Open(path, FileCompression::kNone, 0));
  auto impl = std::make_unique<Impl>(Impl{std::move(stream)});
  return std::unique_ptr<TFRecordReader>(new TFRecordReader(std::move(impl)));
}

StatusOr<bool> TFRecordReader::Read(std::string* record) {
  return ReadRecord(*impl_->stream, record);
}

void AppendTFRecord(std::string_view record, std::string* file) {
  const size_t start = file->size();
  AppendFixed64(file, record.size());
  AppendFixed32(file, crc32c::Mask(crc32c::Value(std::string_view(*file).substr(start))));
  file->append(record);
  AppendFixed32(file, crc32c::Mask(crc32c::Value(record)));
}

}  // namespace ramet
