#include "ramet/format/table_writer.h"

#include <leveldb/env.h>
#include <leveldb/options.h>
#include <leveldb/table_builder.h>

#include <optional>

#include "ramet/base/file.h"
#include "ramet/format/table_format.h"

namespace ramet {
namespace {

leveldb::Slice ToSlice(std::string_view s) { return {s.data(), s.size()}; }

leveldb::Options BuilderOptions() {
  leveldb::Options options;
  options.block_size = kTableBlockBytes;
  options.block_restart_interval = 16;
  options.compression = leveldb::kNoCompression;
  return options;
}

// Passes the builder's output to a file and keeps the file's error, which leveldb's Status cannot
// represent.
class FileSink final : public leveldb::WritableFile {
 public:
  explicit FileSink(ramet::WritableFile* file) : file_(file) {}
  leveldb::Status Append(const leveldb::Slice& data) override {
    return Keep(file_->Append({data.data(), data.size()}));
  }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return Keep(file_->Sync()); }
  leveldb::Status Close() override { return Keep(file_->Close()); }
  const Status& status() const { return status_; }

 private:
  leveldb::Status Keep(Status status) {
    status_.Update(status);
    return status_.ok() ? leveldb::Status::OK() : leveldb::Status::IOError(status_.message());
  }
  ramet::WritableFile* file_;
  Status status_;
};

}  // namespace

struct TableWriter::Impl {
  explicit Impl(WritableFile f)
      : file(std::move(f)), sink(&file), builder(BuilderOptions(), &sink) {}
  ~Impl() {
    if (!finished) builder.Abandon();
  }
  WritableFile file;
  FileSink sink;
  leveldb::TableBuilder builder;
  std::optional<std::string> last_key;
  bool finished = false;
};

TableWriter::TableWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TableWriter::TableWriter(TableWriter&&) noexcept = default;
TableWriter& TableWriter::operator=(TableWriter&&) noexcept = default;
TableWriter::~TableWriter() = default;

StatusOr<TableWriter> TableWriter::Create(const std::string& path) {
  RAMET_ASSIGN_OR_RETURN(WritableFile file, WritableFile::CreateNew(path));
  return TableWriter(std::make_unique<Impl>(std::move(file)));
}

Status TableWriter::Add(std::string_view key, std::string_view value) {
  Impl& w = *impl_;
  if (w.last_key && key <= *w.last_key) {
    return Internal(w.file.path(), ": keys of a table must be in ascending order, but '", key,
                    "' came after '", *w.last_key, "'");
  }
  // TensorFlow's builder gives an entry of two blocks' size its own block; leveldb's does not.
  if (w.last_key && key.size() + value.size() >= 2 * kTableBlockBytes) w.builder.Flush();
  w.builder.Add(ToSlice(key), ToSlice(value));
  w.last_key = key;
  return w.sink.status();
}

Status TableWriter::Finish() {
  Impl& w = *impl_;
  w.finished = true;
  const leveldb::Status built = w.builder.Finish();
  RAMET_RETURN_IF_ERROR(w.sink.status());
  if (!built.ok()) return Internal(w.file.path(), ": ", built.ToString());
  RAMET_RETURN_IF_ERROR(w.file.Sync());
  return w.file.Close();
}

}  // namespace ramet
