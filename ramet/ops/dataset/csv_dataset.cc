#include "ramet/ops/array/move.h"
#include "ramet/ops/dataset/dataset_args.h"
#include "ramet/ops/io/args.h"
#include "ramet/ops/parsing/csv_field.h"
#include "ramet/ops/parsing/csv_file.h"
#include "ramet/ops/parsing/parse_shapes.h"

namespace ramet {
namespace {

// A CsvSource is the files of a CSV dataset and how to read them.
struct CsvSource {
  std::vector<std::string> paths;
  FileCompression compression = FileCompression::kNone;
  int64_t buffer_bytes = 0;
  bool header = false;
  CsvFormat format;
  std::string missing;  // a field with this text takes its default
  Element defaults;     // one for each component; empty: the field is required
};

// Makes an element of the fields of one record.
class CsvElement {
 public:
  CsvElement(const CsvSource& source, const ElementSpec& spec, Element* element)
      : source_(source), spec_(spec), element_(*element) {}

  Status Add(const std::string& field) {
    const size_t at = element_.size();
    if (at >= spec_.types.size()) {
      return InvalidArgument("Expect ", spec_.types.size(), " fields but have more in record");
    }
    element_.emplace_back(spec_.types[at], Shape());
    const int64_t column = static_cast<int64_t>(at);
    if (!field.empty() && field != source_.missing) {
      return StoreCsvField(field, column, "record", 0, element_.back());
    }
    const Tensor& value = source_.defaults[at];
    if (value.num_elements() == 0) {
      return InvalidArgument("Field ", column, " is required but missing in record!");
    }
    CopyElements(value, 0, element_.back(), 0, 1);
    return OkStatus();
  }

  Status CheckComplete() const {
    if (element_.size() == spec_.types.size()) return OkStatus();
    return InvalidArgument("Expect ", spec_.types.size(), " fields but have ", element_.size(),
                           " in record");
  }

 private:
  const CsvSource& source_;
  const ElementSpec& spec_;
  Element& element_;
};

class CsvIterator final : public DatasetIterator {
 public:
  CsvIterator(DatasetPtr dataset, std::shared_ptr<const CsvSource> source)
      : DatasetIterator(std::move(dataset)), source_(std::move(source)) {}

 protected:
  Status Produce(NextContext&, Element* element, bool* end) override {
    while (file_ != nullptr || next_file_ < source_->paths.size()) {
      if (file_ == nullptr) RAMET_RETURN_IF_ERROR(OpenNextFile());
      element->clear();
      CsvElement fields(*source_, dataset().spec(), element);
      const auto found = file_->Next([&](const std::string& field) { return fields.Add(field); });
      if (!found.ok() && !IsInvalidArgument(found.status())) file_.reset();
      if (!found.ok()) return found.status();
      if (*found) return fields.CheckComplete();
      file_.reset();
    }
    *end = true;
    return OkStatus();
  }

 private:
  Status OpenNextFile() {
    RAMET_ASSIGN_OR_RETURN(auto stream,
                           ByteStream::Open(source_->paths[next_file_++], source_->compression,
                                            source_->buffer_bytes));
    file_ = std::make_unique<CsvFile>(std::move(stream), source_->format);
    if (!source_->header) return OkStatus();
    const auto found = file_->Next([](const std::string&) { return OkStatus(); });
    if (found.ok() && *found) return OkStatus();
    return InvalidArgument("Can't read header of file");
  }

  const std::shared_ptr<const CsvSource> source_;
  size_t next_file_ = 0;
  std::unique_ptr<CsvFile> file_;
};

constexpr int kFilesInput = 0, kCompressionInput = 1, kBufferInput = 2, kHeaderInput = 3,
              kDelimiterInput = 4, kQuotesInput = 5, kMissingInput = 6, kSelectedInput = 7,
              kDefaultsInput = 8;

StatusOr<std::vector<int64_t>> ColumnsOf(const Tensor& columns, std::string_view name) {
  if (columns.rank() != 1) return InvalidArgument("`", name, "` must be a vector.");
  std::vector<int64_t> made(columns.flat<int64_t>().begin(), columns.flat<int64_t>().end());
  RAMET_RETURN_IF_ERROR(CheckCsvColumns(made, name));
  return made;
}

Status SetColumns(DatasetArgs& args, CsvFormat* format) {
  const size_t outputs = args.spec().types.size();
  RAMET_ASSIGN_OR_RETURN(format->columns, ColumnsOf(args.input(kSelectedInput), "select_cols"));
  if (!format->columns.empty() && format->columns.size() != outputs) {
    return InvalidArgument("select_cols should match output size");
  }
  const int excluded = kDefaultsInput + static_cast<int>(outputs);
  if (excluded >= args.context().num_inputs()) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(auto left_out, ColumnsOf(args.input(excluded), "exclude_cols"));
  if (left_out.empty()) return OkStatus();
  if (!format->columns.empty()) {
    return InvalidArgument("Either select_cols or exclude_cols should be empty");
  }
  format->columns = std::move(left_out);
  format->leaves_out = true;
  return OkStatus();
}

Status SetDefaults(DatasetArgs& args, CsvSource* source) {
  for (size_t i = 0; i < args.spec().types.size(); ++i) {
    const Tensor& value = args.input(kDefaultsInput + static_cast<int>(i));
    RAMET_RETURN_IF_ERROR(CheckCsvDefault(static_cast<int64_t>(i), value));
    RAMET_ASSIGN_OR_RETURN(Tensor owned, value.Owned());
    source->defaults.push_back(std::move(owned));
  }
  return OkStatus();
}

StatusOr<std::shared_ptr<CsvSource>> CsvSourceOf(DatasetArgs& args) {
  auto source = std::make_shared<CsvSource>();
  if (args.input(kFilesInput).rank() > 1) {
    return InvalidArgument("`filenames` must be a scalar or a vector.");
  }
  const auto paths = args.input(kFilesInput).flat<std::string>();
  source->paths.assign(paths.begin(), paths.end());
  RAMET_ASSIGN_OR_RETURN(const auto compression,
                         args.String(kCompressionInput, "compression_type"));
  RAMET_ASSIGN_OR_RETURN(source->compression, ParseFileCompression(compression));
  RAMET_RETURN_IF_ERROR(SetDefaults(args, source.get()));
  RAMET_ASSIGN_OR_RETURN(source->buffer_bytes, args.Int(kBufferInput, "buffer_size"));
  if (source->buffer_bytes <= 0) return InvalidArgument("buffer_size should be positive");
  RAMET_ASSIGN_OR_RETURN(source->header, args.Bool(kHeaderInput, "header"));
  RAMET_ASSIGN_OR_RETURN(const auto delimiter, args.String(kDelimiterInput, "field_delim"));
  RAMET_ASSIGN_OR_RETURN(source->format.delimiter, CsvDelimiter(delimiter));
  RAMET_ASSIGN_OR_RETURN(source->format.quotes, args.Bool(kQuotesInput, "use_quote_delim"));
  RAMET_ASSIGN_OR_RETURN(source->missing, args.String(kMissingInput, "na_value"));
  RAMET_RETURN_IF_ERROR(SetColumns(args, &source->format));
  return source;
}

StatusOr<std::shared_ptr<Dataset>> MakeCsvDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(std::shared_ptr<const CsvSource> source, CsvSourceOf(args));
  return Dataset::Make(args.spec(), {},
                       [source](const DatasetPtr& dataset, NextContext&) -> StatusOr<IteratorPtr> {
                         return std::make_unique<CsvIterator>(dataset, source);
                       });
}

Status CsvDatasetShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(AtMostVector(c, kFilesInput).status());
  for (int i = kCompressionInput; i < kSelectedInput; ++i) {
    RAMET_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  }
  RAMET_RETURN_IF_ERROR(c.WithRank(kSelectedInput, 1).status());
  const auto types = c.attrs().GetOr<std::vector<DType>>("output_types", {});
  const int after = kDefaultsInput + static_cast<int>(types.size());
  for (int i = kDefaultsInput; i < after; ++i) {
    RAMET_RETURN_IF_ERROR(CheckCsvDefaultShape(c, i));
  }
  if (after < c.num_inputs()) RAMET_RETURN_IF_ERROR(c.WithRank(after, 1).status());
  return DatasetShape(c);
}

#define RAMET_CSV_DATASET(name)                                           \
  RAMET_OP(name)                                                          \
      .Input("filenames: string")                                         \
      .Input("compression_type: string")                                  \
      .Input("buffer_size: int64")                                        \
      .Input("header: bool")                                              \
      .Input("field_delim: string")                                       \
      .Input("use_quote_delim: bool")                                     \
      .Input("na_value: string")                                          \
      .Input("select_cols: int64")                                        \
      .Input("record_defaults: output_types")                             \
      .Output("handle: variant")                                          \
      .Attr("output_types: list({float,double,int32,int64,string}) >= 1") \
      .Attr("output_shapes: list(shape) >= 1")                            \
      .Stateful()

#define RAMET_CSV_INPUTS                                                                      \
  "filenames", "compression_type", "buffer_size", "header", "field_delim", "use_quote_delim", \
      "na_value", "select_cols", "record_defaults"

RAMET_CSV_DATASET("CSVDatasetV2")
    .Input("exclude_cols: int64")
    .Doc(
        "Makes a dataset of the records of files of comma-separated values (RFC 4180), with a "
        "component for each field, or for each of select_cols, or for all but exclude_cols. A "
        "field that is empty or na_value takes its default; with an empty vector, it is required. "
        "header is true if the first record of each file has the names. Error: a file does not "
        "exist (kNotFound); a record is malformed or has a different number of fields; a field is "
        "not a number of its type; a required field is missing; the columns are not increasing.")
    .HostMemory({RAMET_CSV_INPUTS, "exclude_cols"})
    .Shape(CsvDatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeCsvDataset>>();

RAMET_CSV_DATASET("CSVDataset")
    .Doc("Like CSVDatasetV2 without exclude_cols.")
    .HostMemory({RAMET_CSV_INPUTS})
    .Shape(CsvDatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeCsvDataset>>();

RAMET_CSV_DATASET("ExperimentalCSVDataset")
    .Doc("Like CSVDatasetV2 without exclude_cols.")
    .HostMemory({RAMET_CSV_INPUTS})
    .Shape(CsvDatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeCsvDataset>>();

}  // namespace
}  // namespace ramet
