#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <iostream>

#include "command.h"
#include "tensors.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;

constexpr char kPrefixHelp[] =
    "The checkpoint's path without .index (V2), or its file or 'PREFIX-\?\?\?\?\?-of-00004' (V1)";

int64_t SizeOf(const rm::CheckpointTensor& tensor) {
  if (tensor.stored_bytes > 0) return tensor.stored_bytes;
  return tensor.shape.num_elements() * static_cast<int64_t>(rm::DTypeSize(tensor.dtype));
}

rm::StatusOr<std::vector<rm::CheckpointTensor>> TensorsOf(const std::string& path) {
  if (IsCheckpoint(path)) {
    RAMET_ASSIGN_OR_RETURN(rm::CheckpointReader reader, rm::CheckpointReader::Open(path));
    return reader.List();
  }
  RAMET_ASSIGN_OR_RETURN(auto source, OpenTensors(path));
  RAMET_ASSIGN_OR_RETURN(const auto listed, source->List());
  std::vector<rm::CheckpointTensor> tensors;
  for (const TensorInfo& info : listed) {
    RAMET_ASSIGN_OR_RETURN(const size_t bytes, rm::TensorBytes(info.dtype, info.shape));
    tensors.push_back({info.name, info.dtype, info.shape, static_cast<int64_t>(bytes), {}});
  }
  return tensors;
}

rm::Status List(const std::string& prefix, bool as_json) {
  RAMET_ASSIGN_OR_RETURN(const auto tensors, TensorsOf(prefix));
  auto json = nlohmann::json::array();
  for (const rm::CheckpointTensor& tensor : tensors) {
    if (as_json) {
      json.push_back({{"name", tensor.name},
                      {"dtype", rm::DTypeName(tensor.dtype)},
                      {"shape", ShapeJson(tensor.shape)},
                      {"bytes", SizeOf(tensor)},
                      {"slices", tensor.slices.size()}});
      continue;
    }
    std::cout << tensor.name << "  " << TypeAndShape(tensor.dtype, tensor.shape) << "  "
              << Bytes(SizeOf(tensor));
    if (!tensor.slices.empty()) std::cout << "  in " << Count(tensor.slices.size(), "slice");
    std::cout << "\n";
  }
  if (as_json) std::cout << json.dump(2) << "\n";
  return rm::OkStatus();
}

struct PrintOptions {
  std::string prefix, name, slice;
  int max = 100;
  bool json = false;
};

// A number as JSON has it: infinities and NaN are texts.
nlohmann::json NumberJson(double x) {
  if (std::isfinite(x)) return x;
  return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
}

template <class T>
nlohmann::json ElementJson(const T& x) {
  if constexpr (std::is_same_v<T, std::string>) {
    return x;
  } else if constexpr (std::is_integral_v<T>) {
    return x;
  } else if constexpr (std::is_same_v<T, double>) {
    return NumberJson(x);
  } else if constexpr (requires { x.imag(); }) {
    return nlohmann::json::array({NumberJson(x.real()), NumberJson(x.imag())});
  } else {
    return NumberJson(static_cast<float>(x));
  }
}

template <class T>
nlohmann::json ElementsJson(const rm::Tensor& tensor, int64_t max) {
  auto json = nlohmann::json::array();
  const int64_t shown = std::min(max, tensor.num_elements());
  for (int64_t i = 0; i < shown; ++i) json.push_back(ElementJson(tensor.data<T>()[i]));
  return json;
}

nlohmann::json ValuesJson(const rm::Tensor& t, int64_t max) {
  switch (t.dtype()) {
    case rm::kFloat: return ElementsJson<float>(t, max);
    case rm::kDouble: return ElementsJson<double>(t, max);
    case rm::kHalf: return ElementsJson<rm::Half>(t, max);
    case rm::kBFloat16: return ElementsJson<rm::BFloat16>(t, max);
    case rm::kInt8: return ElementsJson<int8_t>(t, max);
    case rm::kInt16: return ElementsJson<int16_t>(t, max);
    case rm::kInt32: return ElementsJson<int32_t>(t, max);
    case rm::kInt64: return ElementsJson<int64_t>(t, max);
    case rm::kUInt8: return ElementsJson<uint8_t>(t, max);
    case rm::kUInt16: return ElementsJson<uint16_t>(t, max);
    case rm::kUInt32: return ElementsJson<uint32_t>(t, max);
    case rm::kUInt64: return ElementsJson<uint64_t>(t, max);
    case rm::kBool: return ElementsJson<bool>(t, max);
    case rm::kString: return ElementsJson<std::string>(t, max);
    case rm::kComplex64: return ElementsJson<std::complex<float>>(t, max);
    case rm::kComplex128: return ElementsJson<std::complex<double>>(t, max);
    default: return nullptr;
  }
}

rm::StatusOr<rm::Tensor> ReadTensor(const PrintOptions& options) {
  RAMET_ASSIGN_OR_RETURN(auto source, OpenTensors(options.prefix));
  if (options.slice.empty()) return source->Read(options.name);
  RAMET_ASSIGN_OR_RETURN(const rm::TensorSlice box, rm::TensorSlice::Parse(options.slice));
  return source->ReadSlice(options.name, box);
}

rm::Status Print(const PrintOptions& options) {
  RAMET_ASSIGN_OR_RETURN(const rm::Tensor tensor, ReadTensor(options));
  const auto& [prefix, name, slice, max, as_json] = options;
  if (as_json) {
    const nlohmann::json json = {{"name", name},
                                 {"dtype", rm::DTypeName(tensor.dtype())},
                                 {"shape", ShapeJson(tensor.shape())},
                                 {"values", ValuesJson(tensor, max)}};
    std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    return rm::OkStatus();
  }
  std::cout << name << "  " << tensor.ToString(max) << "\n";
  return rm::OkStatus();
}

}  // namespace

void AddList(CLI::App& app, rm::Status* status) {
  auto* command =
      app.add_subcommand("list", "The tensors of a checkpoint: name, dtype and shape, size");
  auto prefix = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("PREFIX", *prefix, kPrefixHelp)->required();
  command->add_flag("--json", *json, "As a JSON array of objects");
  command->footer(
      "PREFIX may also be a .safetensors or .npz file.\n"
      "Examples:\n  ramet list model-1000\n  ramet list model-1000 --json | jq '.[].name'");
  command->callback([=] { *status = List(*prefix, *json); });
}

void AddPrint(CLI::App& app, rm::Status* status) {
  auto* command = app.add_subcommand("print", "One tensor of a checkpoint with its values");
  auto o = std::make_shared<PrintOptions>();
  command->add_option("PREFIX", o->prefix, kPrefixHelp)->required();
  command->add_option("TENSOR", o->name, "Its name in the checkpoint (see ramet list)")->required();
  command->add_option("--max", o->max, "So many values at most")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command->add_option("--slice", o->slice,
                      "A part: START,LENGTH or - for each dimension, joined by ':'");
  command->add_flag("--json", o->json,
                    "As a JSON object; values in a row, texts that are not UTF-8 with '\uFFFD'");
  command->footer(
      "PREFIX may also be a .safetensors or .npz file.\n"
      "Examples:\n  ramet print model-1000 dense/bias --max 10\n"
      "  ramet print model-1000 embedding --slice 5,1:-\n"
      "  ramet print model-1000 dense/bias --json | jq .values");
  command->callback([=] { *status = Print(*o); });
}

}  // namespace cli
