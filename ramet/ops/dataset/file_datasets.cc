#include "ramet/format/byte_stream.h"
#include "ramet/format/record_reader.h"
#include "ramet/ops/dataset/dataset_args.h"
#include "ramet/ops/io/args.h"

namespace ramet {
namespace {

// Reads the next record of a file. Returns false at the end.
using ReadNext = std::function<StatusOr<bool>(ByteStream& stream, std::string* record)>;

// The files of a dataset and how to read them.
struct RecordFiles {
  std::vector<std::string> paths;
  std::vector<int64_t> starts;  // where to begin in each file; empty: at the front
  FileCompression compression = FileCompression::kNone;
  int64_t buffer_bytes = 0;
  // Returns the function that reads the records of a file.
  std::function<StatusOr<ReadNext>(ByteStream& stream)> begin;
};

class RecordFilesIterator final : public DatasetIterator {
 public:
  RecordFilesIterator(DatasetPtr dataset, std::shared_ptr<const RecordFiles> files)
      : DatasetIterator(std::move(dataset)), files_(std::move(files)) {}

 protected:
  Status Produce(NextContext&, Element* element, bool* end) override {
    std::string record;
    while (stream_ != nullptr || next_file_ < files_->paths.size()) {
      if (stream_ == nullptr) RAMET_RETURN_IF_ERROR(OpenNextFile());
      auto found = read_(*stream_, &record);
      if (!found.ok()) stream_.reset();
      if (!found.ok()) return found.status();
      if (*found) {
        element->push_back(Tensor(kString, Shape()));
        *element->back().mutable_data<std::string>() = std::move(record);
        return OkStatus();
      }
      stream_.reset();
    }
    *end = true;
    return OkStatus();
  }

 private:
  Status OpenNextFile() {
    const size_t file = next_file_++;
    RAMET_ASSIGN_OR_RETURN(auto stream, ByteStream::Open(files_->paths[file], files_->compression,
                                                         files_->buffer_bytes));
    if (!files_->starts.empty()) {
      RAMET_RETURN_IF_ERROR(stream->Skip(static_cast<uint64_t>(files_->starts[file])).status());
    }
    RAMET_ASSIGN_OR_RETURN(read_, files_->begin(*stream));
    stream_ = std::move(stream);
    return OkStatus();
  }

  const std::shared_ptr<const RecordFiles> files_;
  size_t next_file_ = 0;
  std::unique_ptr<ByteStream> stream_;
  ReadNext read_;
};

// Reads the inputs that all file datasets have; `compression` is -1 for an op without that input.
StatusOr<std::shared_ptr<RecordFiles>> FilesOf(DatasetArgs& args, int compression, int buffer) {
  auto files = std::make_shared<RecordFiles>();
  if (args.input(0).rank() > 1) {
    return InvalidArgument("`filenames` must be a scalar or a vector.");
  }
  const auto paths = args.input(0).flat<std::string>();
  files->paths.assign(paths.begin(), paths.end());
  if (compression >= 0) {
    RAMET_ASSIGN_OR_RETURN(const std::string name, args.String(compression, "compression_type"));
    RAMET_ASSIGN_OR_RETURN(files->compression, ParseFileCompression(name));
  }
  RAMET_ASSIGN_OR_RETURN(files->buffer_bytes, args.Int(buffer, "buffer_size"));
  if (files->buffer_bytes < -1) {
    return InvalidArgument("`buffer_size` must be >= 0 (0 == default)");
  }
  return files;
}

StatusOr<std::shared_ptr<Dataset>> MakeRecords(std::shared_ptr<const RecordFiles> files) {
  return Dataset::Make({{kString}, {Shape()}}, {},
                       [files](const DatasetPtr& dataset, NextContext&) -> StatusOr<IteratorPtr> {
                         return std::make_unique<RecordFilesIterator>(dataset, files);
                       });
}

StatusOr<std::shared_ptr<Dataset>> MakeTFRecordDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(auto files, FilesOf(args, 1, 2));
  if (args.context().num_inputs() > 3) {
    const auto starts = args.input(3).flat<int64_t>();
    files->starts.assign(starts.begin(), starts.end());
    if (!starts.empty() && starts.size() != files->paths.size()) {
      return InvalidArgument("`byte_offsets` must have same size as `filenames`");
    }
    for (const int64_t start : starts) {
      if (start < 0) return InvalidArgument("`byte_offsets` must be >= 0, but one is ", start);
    }
  }
  files->begin = [](ByteStream&) -> StatusOr<ReadNext> { return ReadNext(&ReadRecord); };
  return MakeRecords(std::move(files));
}

StatusOr<std::shared_ptr<Dataset>> MakeTextLineDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(auto files, FilesOf(args, 1, 2));
  files->begin = [](ByteStream&) -> StatusOr<ReadNext> {
    return ReadNext([](ByteStream& stream, std::string* line) { return stream.ReadLine(line); });
  };
  return MakeRecords(std::move(files));
}

struct RecordLayout {
  int64_t header, record, footer;
};

// Returns the number of bytes of a file's records, which are those between header and footer.
StatusOr<uint64_t> BytesOfRecords(const RecordFiles& files, const RecordLayout& layout,
                                  const std::string& path) {
  uint64_t size = 0;
  if (files.compression == FileCompression::kNone) {
    RAMET_ASSIGN_OR_RETURN(const FileIdentity identity, GetFileIdentity(path));
    size = identity.size;
  } else {
    RAMET_ASSIGN_OR_RETURN(auto stream, ByteStream::Open(path, files.compression, 0));
    RAMET_ASSIGN_OR_RETURN(size, stream->Skip(UINT64_MAX));
  }
  const uint64_t around =
      static_cast<uint64_t>(layout.header) + static_cast<uint64_t>(layout.footer);
  const uint64_t record = static_cast<uint64_t>(layout.record);
  const uint64_t body = size - std::min(size, around);
  if (size < around || body % record != 0) {
    return InvalidArgument("Excess bytes: file ", path, " has ", layout.header, " header bytes, ",
                           body, " bytes of records that are ", layout.record, " bytes long, and ",
                           layout.footer, " footer bytes.");
  }
  return body;
}

StatusOr<std::shared_ptr<Dataset>> MakeFixedLengthDataset(DatasetArgs& args) {
  const bool has_compression = args.context().num_inputs() > 5;
  RAMET_ASSIGN_OR_RETURN(auto files, FilesOf(args, has_compression ? 5 : -1, 4));
  RecordLayout layout = {};
  RAMET_ASSIGN_OR_RETURN(layout.header, args.Int(1, "header_bytes"));
  if (layout.header < 0) return InvalidArgument("header_bytes must be >= 0");
  RAMET_ASSIGN_OR_RETURN(layout.record, args.Int(2, "record_bytes"));
  if (layout.record <= 0) return InvalidArgument("record_bytes must be > 0");
  RAMET_ASSIGN_OR_RETURN(layout.footer, args.Int(3, "footer_bytes"));
  if (layout.footer < 0) return InvalidArgument("footer_bytes must be >= 0");
  files->begin = [layout, raw = files.get()](ByteStream& stream) -> StatusOr<ReadNext> {
    RAMET_ASSIGN_OR_RETURN(uint64_t left, BytesOfRecords(*raw, layout, stream.path()));
    RAMET_RETURN_IF_ERROR(stream.Skip(static_cast<uint64_t>(layout.header)).status());
    const uint64_t size = static_cast<uint64_t>(layout.record);
    return ReadNext([left, size](ByteStream& s, std::string* record) mutable -> StatusOr<bool> {
      if (left < size) return false;
      left -= size;
      record->clear();
      RAMET_ASSIGN_OR_RETURN(const uint64_t found, s.Read(size, record));
      return found == size ? StatusOr<bool>(true)
                           : DataLoss("file '", s.path(), "' became shorter while it was read");
    });
  };
  return MakeRecords(std::move(files));
}

Status FileDatasetShape(ShapeContext& c) {
  if (c.input(0).rank() > 1) {
    return InvalidArgument("Shape must be at most rank 1 but is rank ", c.input(0).rank());
  }
  return ScalarShape(c);
}

RAMET_OP("TFRecordDataset")
    .Input("filenames: string")
    .Input("compression_type: string")
    .Input("buffer_size: int64")
    .Output("handle: variant")
    .Attr("metadata: string = ''")
    .Stateful()
    .Doc(
        "Makes a dataset of the records of TFRecord files, as strings. Error: a file does not "
        "exist (kNotFound) or is damaged (kDataLoss); compression_type is not '', 'ZLIB' or "
        "'GZIP'.")
    .HostMemory({"filenames", "compression_type", "buffer_size"})
    .Shape(FileDatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeTFRecordDataset>>();

RAMET_OP("TFRecordDatasetV2")
    .Input("filenames: string")
    .Input("compression_type: string")
    .Input("buffer_size: int64")
    .Input("byte_offsets: int64")
    .Output("handle: variant")
    .Attr("metadata: string = ''")
    .Stateful()
    .Doc("Like TFRecordDataset; byte_offsets are where the first record of each file begins.")
    .HostMemory({"filenames", "compression_type", "buffer_size", "byte_offsets"})
    .Shape(FileDatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeTFRecordDataset>>();

RAMET_OP("TextLineDataset")
    .Input("filenames: string")
    .Input("compression_type: string")
    .Input("buffer_size: int64")
    .Output("handle: variant")
    .Attr("metadata: string = ''")
    .Stateful()
    .Doc(
        "Makes a dataset of the lines of text files, without their ends. Errors are those of "
        "TFRecordDataset.")
    .HostMemory({"filenames", "compression_type", "buffer_size"})
    .Shape(FileDatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeTextLineDataset>>();

RAMET_OP("FixedLengthRecordDataset")
    .Input("filenames: string")
    .Input("header_bytes: int64")
    .Input("record_bytes: int64")
    .Input("footer_bytes: int64")
    .Input("buffer_size: int64")
    .Output("handle: variant")
    .Attr("metadata: string = ''")
    .Stateful()
    .Doc("Like FixedLengthRecordDatasetV2 without compression.")
    .HostMemory({"filenames", "header_bytes", "record_bytes", "footer_bytes", "buffer_size"})
    .Shape(FileDatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeFixedLengthDataset>>();

RAMET_OP("FixedLengthRecordDatasetV2")
    .Input("filenames: string")
    .Input("header_bytes: int64")
    .Input("record_bytes: int64")
    .Input("footer_bytes: int64")
    .Input("buffer_size: int64")
    .Input("compression_type: string")
    .Output("handle: variant")
    .Attr("metadata: string = ''")
    .Stateful()
    .Doc(
        "Makes a dataset of the records of files: record_bytes bytes each, between a header and a "
        "footer. Error: the records do not fill a file; errors of TFRecordDataset.")
    .HostMemory({"filenames", "header_bytes", "record_bytes", "footer_bytes", "buffer_size",
                 "compression_type"})
    .Shape(FileDatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeFixedLengthDataset>>();

}  // namespace
}  // namespace ramet
