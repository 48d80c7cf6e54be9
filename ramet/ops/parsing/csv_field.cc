#include "ramet/ops/parsing/csv_field.h"

#include "ramet/ops/string/read_integer.h"

namespace ramet {

Status StoreCsvField(const std::string& field, int64_t column, std::string_view record, int64_t i,
                     Tensor& out) {
  bool ok = true;
  switch (out.dtype()) {
    case kInt32: ok = ReadInteger(field, &out.mutable_data<int32_t>()[i]); break;
    case kInt64: ok = ReadInteger(field, &out.mutable_data<int64_t>()[i]); break;
    case kFloat: ok = ReadFloat(field, &out.mutable_data<float>()[i]); break;
    case kDouble: ok = ReadFloat(field, &out.mutable_data<double>()[i]); break;
    default: out.mutable_data<std::string>()[i] = field;
  }
  if (ok) return OkStatus();
  return InvalidArgument("Field ", column, " in ", record, " is not a valid ",
                         DTypeName(out.dtype()), ": ", field);
}

Status CheckCsvDefault(int64_t column, const Tensor& value) {
  if (value.rank() > 1) return InvalidArgument("Each record default should be at most rank 1");
  if (value.num_elements() < 2) return OkStatus();
  return InvalidArgument("There should only be 1 default per field but field ", column, " has ",
                         value.num_elements());
}

Status CheckCsvColumns(const std::vector<int64_t>& columns, std::string_view name) {
  for (size_t i = 1; i < columns.size(); ++i) {
    if (columns[i - 1] < columns[i]) continue;
    return InvalidArgument(name, " should be strictly increasing indices");
  }
  if (columns.empty() || columns[0] >= 0) return OkStatus();
  return InvalidArgument(name, " should be non-negative indices");
}

StatusOr<char> CsvDelimiter(std::string_view text) {
  if (text.size() == 1) return text[0];
  return InvalidArgument("field_delim should be only 1 char");
}

}  // namespace ramet
