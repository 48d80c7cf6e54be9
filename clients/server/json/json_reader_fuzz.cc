#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "json/json_reader.h"
#include "json/tensor_reader.h"
#include "json/tensor_writer.h"

namespace {

using server::JsonEvent;

class Feeder : public server::JsonHandler {
 public:
  Feeder(std::string_view json, ramet::DType dtype) : reader(json, dtype, 10'000) {}
  bool OnEvent(const JsonEvent& event) override {
    status = reader.Add(event, &done);
    return status.ok();
  }
  server::TensorReader reader;
  ramet::Status status = {};
  bool done = false;
};

// Reads one value as a tensor; nothing if it is none.
ramet::StatusOr<ramet::Tensor> Read(std::string_view json, ramet::DType dtype) {
  Feeder feeder(json, dtype);
  RAMET_RETURN_IF_ERROR(server::ReadJson(json, &feeder));
  RAMET_RETURN_IF_ERROR(feeder.status);
  if (!feeder.done) std::abort();
  return feeder.reader.TakeValue();
}

}  // namespace

// The first byte chooses the dtype; the rest is a JSON value. A tensor that was read is the same
// after it was written and read again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  constexpr ramet::DType kDtypes[] = {ramet::kFloat,  ramet::kDouble,   ramet::kInt32,
                                      ramet::kUInt8,  ramet::kInt64,    ramet::kUInt64,
                                      ramet::kString, ramet::kBool,     ramet::kHalf,
                                      ramet::kInt8,   ramet::kComplex64};
  const ramet::DType dtype = kDtypes[data[0] % std::size(kDtypes)];
  const std::string_view json(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto tensor = Read(json, dtype);
  if (!tensor.ok()) return 0;
  const auto writer = server::TensorWriter::Make(*tensor);
  if (!writer.ok()) return 0;
  std::string text;
  writer->Write(&text);
  const auto again = Read(text, dtype);
  if (!again.ok() || again->shape() != tensor->shape()) std::abort();
  const bool has_nan = text.find("NaN") != std::string::npos;
  if (!has_nan && !again->BitwiseEquals(*tensor)) std::abort();
  return 0;
}
