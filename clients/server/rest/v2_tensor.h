#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/json_reader.h"
#include "json/tensor_reader.h"

namespace server {

// A tensor of a request, whose values are a list in JSON or bytes behind it.
struct V2Input {
  std::string name = {};
  std::string datatype = {};
  std::vector<int64_t> shape = {};
  bool has_shape = false;
  std::optional<int64_t> binary_bytes = {};
  std::optional<size_t> data_offset = {};      // of the list in the JSON text
  std::optional<GrowingTensor> elements = {};  // of the list, if it has been read
};

// Reads the elements of a list of any depth.
class FlatReader {
 public:
  FlatReader(std::string_view json, int64_t max_elements, GrowingTensor* elements)
      : json_(json), max_elements_(max_elements), elements_(*elements) {}
  // Consumes the next event of the list. `*done` says whether the list ends with it.
  // \error kInvalidArgument: an element does not have the dtype, or there are too many.
  ramet::Status Add(const JsonEvent& event, bool* done);

 private:
  const std::string_view json_;
  const int64_t max_elements_;
  GrowingTensor& elements_;
  ValueEnd end_ = {};
};

// Makes the tensor of an input. Takes its bytes from the start of `*binary`.
// \error kInvalidArgument: datatype, shape and values do not fit.
ramet::StatusOr<ramet::Tensor> TakeV2Tensor(std::string_view json, int64_t max_elements,
                                            V2Input* input, std::string_view* binary);

}  // namespace server
