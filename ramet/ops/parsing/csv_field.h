#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ramet/tensor/tensor.h"

// Functions for ops that read fields of comma-separated values.

namespace ramet {

// Stores a field that is not empty in element `i` of `out`. `record` is the name of the record in
// messages.
// \error kInvalidArgument: "Field 0 in record 3 is not a valid int32: x".
Status StoreCsvField(const std::string& field, int64_t column, std::string_view record, int64_t i,
                     Tensor& out);
// Checks that a default value is a scalar or a vector of at most one element.
// \error kInvalidArgument: it is not.
Status CheckCsvDefault(int64_t column, const Tensor& value);
// Checks that columns are not negative and increase. `name` is the name of the argument.
// \error kInvalidArgument: "select_cols should be strictly increasing indices".
Status CheckCsvColumns(const std::vector<int64_t>& columns, std::string_view name);
// Returns the delimiter of fields.
// \error kInvalidArgument: "field_delim should be only 1 char".
StatusOr<char> CsvDelimiter(std::string_view text);

}  // namespace ramet
