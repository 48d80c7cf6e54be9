#include "ramet/op/op.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/parsing/csv_field.h"
#include "ramet/ops/parsing/csv_record.h"
#include "ramet/ops/parsing/parse_shapes.h"

// DecodeCSV.

namespace ramet {
namespace {

class DecodeCsvKernel final : public Kernel {
 public:
  DecodeCsvKernel(CsvFormat format, std::string missing)
      : format_(std::move(format)), missing_(std::move(missing)) {}

  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const AttrMap& attrs = *node.attrs;
    RAMET_ASSIGN_OR_RETURN(const char delimiter,
                           CsvDelimiter(attrs.GetOr<std::string>("field_delim", ",")));
    CsvFormat format{delimiter, attrs.GetOr("use_quote_delim", true),
                     attrs.GetOr<std::vector<int64_t>>("select_cols", {})};
    RAMET_RETURN_IF_ERROR(CheckColumns(format.columns, node.output_types.size()));
    return std::unique_ptr<Kernel>(std::make_unique<DecodeCsvKernel>(
        std::move(format), attrs.GetOr<std::string>("na_value", "")));
  }

  Status Compute(KernelContext& c) override {
    RAMET_RETURN_IF_ERROR(CheckDefaults(c));
    const Tensor& records = c.input(0);
    std::vector<Tensor*> outputs;
    for (int f = 0; f < c.num_outputs(); ++f) {
      RAMET_ASSIGN_OR_RETURN(Tensor * out, c.Allocate(f, c.input(f + 1).dtype(), records.shape()));
      outputs.push_back(out);
    }
    CsvSplitter splitter(format_);
    for (int64_t i = 0; i < records.num_elements(); ++i) {
      RAMET_ASSIGN_OR_RETURN(const auto* fields, splitter.Split(records.data<std::string>()[i]));
      if (fields->size() != outputs.size()) {
        return InvalidArgument("Expect ", outputs.size(), " fields but have ", fields->size(),
                               " in record ", i);
      }
      for (int f = 0; f < c.num_outputs(); ++f) {
        RAMET_RETURN_IF_ERROR(Store(c, (*fields)[f], f, i, *outputs[f]));
      }
    }
    return OkStatus();
  }

 private:
  static Status CheckColumns(const std::vector<int64_t>& columns, size_t outputs) {
    if (columns.empty()) return OkStatus();
    if (columns.size() != outputs) {
      return InvalidArgument("select_cols should match output size");
    }
    return CheckCsvColumns(columns, "select_cols");
  }

  static Status CheckDefaults(KernelContext& c) {
    for (int f = 0; f < c.num_outputs(); ++f) {
      RAMET_RETURN_IF_ERROR(CheckCsvDefault(f, c.input(f + 1)));
    }
    return OkStatus();
  }

  Status Store(KernelContext& c, const std::string& field, int f, int64_t i, Tensor& out) const {
    if (!field.empty() && field != missing_) {
      return StoreCsvField(field, f, StrCat("record ", i), i, out);
    }
    const Tensor& value = c.input(f + 1);
    if (value.num_elements() == 0) {
      return InvalidArgument("Field ", f, " is required but missing in record ", i, "!");
    }
    CopyElements(value, 0, out, i, 1);
    return OkStatus();
  }

  const CsvFormat format_;
  const std::string missing_;
};

Status DecodeCsvShape(ShapeContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) {
    RAMET_RETURN_IF_ERROR(CheckCsvDefaultShape(c, i));
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, c.input(0));
  return OkStatus();
}

RAMET_OP("DecodeCSV")
    .Input("records: string")
    .Input("record_defaults: OUT_TYPE")
    .Output("output: OUT_TYPE")
    .Attr("OUT_TYPE: list({float,double,int32,int64,string}) >= 1")
    .Attr("field_delim: string = ','")
    .Attr("use_quote_delim: bool = true")
    .Attr("na_value: string = ''")
    .Attr("select_cols: list(int) = []")
    .Doc(
        "Returns the fields of records of comma-separated values (RFC 4180), one output for each "
        "column, or for each of select_cols. A field that is empty or na_value takes its default, "
        "a scalar or a vector of one element; with an empty vector, it is required. The outputs "
        "have the shape of `records`. Error: a record is malformed or has a different number of "
        "fields; a field is not a number of its type; a required field is missing; field_delim is "
        "not one character; select_cols is not increasing.")
    .Shape(DecodeCsvShape)
    .CpuKernelClass<DecodeCsvKernel>();

}  // namespace
}  // namespace ramet
