#include "ramet/ops/queue/reader_sources.h"

#include <limits>

#include "ramet/base/file.h"
#include "ramet/format/byte_stream.h"
#include "ramet/format/record_reader.h"

namespace ramet {
namespace {

using SourcePtr = std::unique_ptr<RecordSource>;

// Work items themselves are the records.
class IdentitySource final : public RecordSource {
 public:
  explicit IdentitySource(std::string work) : work_(std::move(work)) {}
  StatusOr<bool> Next(Record& record) override {
    if (done_) return false;
    done_ = true;
    record = {work_, work_};
    return true;
  }
  bool ended() const override { return done_; }

 private:
  const std::string work_;
  bool done_ = false;
};

// A whole file is one record.
class WholeFileSource final : public RecordSource {
 public:
  explicit WholeFileSource(std::string path) : path_(std::move(path)) {}
  StatusOr<bool> Next(Record& record) override {
    if (done_) return false;
    RAMET_ASSIGN_OR_RETURN(record.value, ReadFile(path_));
    record.key = path_;
    done_ = true;
    return true;
  }
  bool ended() const override { return done_; }

 private:
  const std::string path_;
  bool done_ = false;
};

class LineSource final : public RecordSource {
 public:
  LineSource(std::unique_ptr<ByteStream> stream, int64_t skipped)
      : stream_(std::move(stream)), skipped_(skipped) {}
  StatusOr<bool> Next(Record& record) override {
    do {
      RAMET_ASSIGN_OR_RETURN(const bool found, stream_->ReadLine(&record.value));
      if (!found) return false;
    } while (++line_ <= skipped_);
    record.key = StrCat(stream_->path(), ":", line_);
    return true;
  }

 private:
  const std::unique_ptr<ByteStream> stream_;
  const int64_t skipped_;
  int64_t line_ = 0;
};

class TfRecordSource final : public RecordSource {
 public:
  explicit TfRecordSource(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}
  StatusOr<bool> Next(Record& record) override {
    record.key = StrCat(stream_->path(), ":", stream_->offset());
    return ReadRecord(*stream_, &record.value);
  }

 private:
  const std::unique_ptr<ByteStream> stream_;
};

// Records of one size, each `hop` bytes after the one before. The bytes after them that may be part
// of the next record, or of the footer, are kept.
class FixedLengthSource final : public RecordSource {
 public:
  FixedLengthSource(std::unique_ptr<ByteStream> stream, const FixedLengthFormat& format)
      : stream_(std::move(stream)), format_(format) {}
  StatusOr<bool> Next(Record& record) override {
    RAMET_ASSIGN_OR_RETURN(const bool moved, Move());
    if (!moved) return false;
    const auto wanted = static_cast<size_t>(format_.record_bytes + format_.footer_bytes);
    if (ahead_.size() < wanted) {
      RAMET_RETURN_IF_ERROR(stream_->Read(wanted - ahead_.size(), &ahead_).status());
    }
    if (ahead_.size() < wanted) return false;
    record.key = StrCat(stream_->path(), ":", number_++);
    record.value = ahead_.substr(0, format_.record_bytes);
    return true;
  }

 private:
  // Drops the bytes before the next record.
  StatusOr<bool> Move() {
    auto skipped = static_cast<uint64_t>(number_ == 0 ? format_.header_bytes : format_.hop_bytes);
    const uint64_t known = std::min<uint64_t>(skipped, ahead_.size());
    ahead_.erase(0, known);
    skipped -= known;
    if (skipped == 0) return true;
    RAMET_ASSIGN_OR_RETURN(const uint64_t found, stream_->Skip(skipped));
    return found == skipped;
  }

  const std::unique_ptr<ByteStream> stream_;
  const FixedLengthFormat format_;
  std::string ahead_;
  int64_t number_ = 0;
};

StatusOr<std::unique_ptr<ByteStream>> OpenFile(const std::string& path,
                                               FileCompression compression) {
  return ByteStream::Open(path, compression, 0);
}

}  // namespace

Reader::Open OpensIdentity() {
  return [](const std::string& work) -> StatusOr<SourcePtr> {
    return SourcePtr(std::make_unique<IdentitySource>(work));
  };
}

Reader::Open OpensWholeFiles() {
  return [](const std::string& path) -> StatusOr<SourcePtr> {
    return SourcePtr(std::make_unique<WholeFileSource>(path));
  };
}

Reader::Open OpensLines(int64_t skipped_lines) {
  return [skipped_lines](const std::string& path) -> StatusOr<SourcePtr> {
    RAMET_ASSIGN_OR_RETURN(auto stream, OpenFile(path, FileCompression::kNone));
    return SourcePtr(std::make_unique<LineSource>(std::move(stream), skipped_lines));
  };
}

Reader::Open OpensTfRecords(FileCompression compression) {
  return [compression](const std::string& path) -> StatusOr<SourcePtr> {
    RAMET_ASSIGN_OR_RETURN(auto stream, OpenFile(path, compression));
    return SourcePtr(std::make_unique<TfRecordSource>(std::move(stream)));
  };
}

Reader::Open OpensFixedLength(const FixedLengthFormat& format) {
  return [format](const std::string& path) -> StatusOr<SourcePtr> {
    RAMET_ASSIGN_OR_RETURN(auto stream, OpenFile(path, format.compression));
    return SourcePtr(std::make_unique<FixedLengthSource>(std::move(stream), format));
  };
}

}  // namespace ramet
