#include <strings.h>

#include <iostream>

#include "command.h"
#include "tensor_json.h"
#include "tensors.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;

rm::Status List(const std::string& path, bool as_json) {
  RAMET_ASSIGN_OR_RETURN(auto source, OpenTensors(path));
  RAMET_ASSIGN_OR_RETURN(const auto tensors, source->List());
  auto json = nlohmann::json::array();
  for (const TensorInfo& tensor : tensors) {
    if (as_json) {
      json.push_back({{"name", tensor.name},
                      {"dtype", rm::DTypeName(tensor.dtype)},
                      {"shape", ShapeJson(tensor.shape)},
                      {"bytes", tensor.bytes},
                      {"slices", tensor.slices}});
      continue;
    }
    std::cout << Clean(tensor.name) << "  " << TypeAndShape(tensor.dtype, tensor.shape) << "  "
              << Bytes(tensor.bytes);
    if (tensor.slices > 0) std::cout << "  in " << Count(tensor.slices, "slice");
    std::cout << "\n";
  }
  if (as_json) PrintJson(json);
  return rm::OkStatus();
}

struct PrintOptions {
  std::string prefix, name, slice;
  int max = 100;
  bool json = false;
};

// Adds the most similar tensor name to a kNotFound error.
rm::Status WithNearName(const rm::Status& status, const std::string& name, TensorSource& source) {
  const auto listed = source.List();
  if (!rm::IsNotFound(status) || !listed.ok()) return status;
  std::vector<std::string_view> names;
  std::string near;
  for (const TensorInfo& tensor : *listed) {
    names.push_back(tensor.name);
    if (strcasecmp(tensor.name.c_str(), name.c_str()) == 0) near = tensor.name;
  }
  if (near.empty()) near = rm::NearestName(name, names);
  return status.WithSuffix(near.empty() ? "; 'ramet list' shows the names"
                                        : "; the nearest name is '" + near + "'");
}

rm::StatusOr<rm::Tensor> ReadPart(const PrintOptions& options, TensorSource& source) {
  if (options.slice.empty()) return source.Read(options.name);
  RAMET_ASSIGN_OR_RETURN(const rm::TensorSlice box, rm::TensorSlice::Parse(options.slice));
  return source.ReadSlice(options.name, box);
}

rm::StatusOr<rm::Tensor> ReadTensor(const PrintOptions& options) {
  RAMET_ASSIGN_OR_RETURN(auto source, OpenTensors(options.prefix));
  auto tensor = ReadPart(options, *source);
  if (tensor.ok() || rm::IsDataLoss(tensor.status())) return tensor;
  if (options.slice.empty() || rm::IsNotFound(tensor.status())) {
    return WithNearName(tensor.status(), options.name, *source);
  }
  // The library reports a part outside the tensor as TensorFlow does, as INTERNAL.
  const rm::Status status =
      rm::IsInternal(tensor.status()) ? rm::OutOfRange(tensor.status().message()) : tensor.status();
  return status.WithContext("--slice " + options.slice)
      .WithSuffix("; expected START,LENGTH or - for each dimension, joined by ':', as in 5,1:-");
}

std::string CheckCount(const std::string& text) {
  int64_t count = 0;
  return rm::ParseInt64(text, &count) && count >= 0 && count <= INT32_MAX
             ? ""
             : "'" + text + "' is not a valid number of values";
}

rm::Status Print(const PrintOptions& options) {
  RAMET_ASSIGN_OR_RETURN(const rm::Tensor tensor, ReadTensor(options));
  const auto& [prefix, name, slice, max, as_json] = options;
  if (as_json) {
    nlohmann::json json = TensorJson(tensor, max);
    json["name"] = name;
    PrintJson(json);
    return rm::OkStatus();
  }
  std::cout << Clean(name) << "  " << tensor.ToString(max) << "\n";
  return rm::OkStatus();
}

}  // namespace

void AddList(CLI::App& app, rm::Status* status) {
  auto* command = app.add_subcommand(
      "list",
      "List the tensors of a checkpoint, SavedModel, .safetensors or .npz file: name, dtype, "
      "shape and size");
  auto prefix = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("FILE", *prefix, kTensorsHelp)->required();
  command->add_flag("--json", *json, "Print a JSON array of objects");
  command->footer(
      "A folder with a 'checkpoint' file stands for its latest checkpoint.\n"
      "Exit codes: 0 success, 1 failure, 2 usage error.\n"
      "Examples:\n  ramet list model-1000\n  ramet list saved_model/\n  ramet list model-1000 "
      "--json | jq '.[].name'");
  command->callback([=] { *status = List(*prefix, *json); });
}

void AddPrint(CLI::App& app, rm::Status* status) {
  auto* command = app.add_subcommand("print", "Print one tensor of a file with its values");
  auto o = std::make_shared<PrintOptions>();
  command->add_option("FILE", o->prefix, kTensorsHelp)->required();
  command->add_option("TENSOR", o->name, "The tensor's name, as 'ramet list' shows it")->required();
  command->add_option("--max", o->max, "Print at most this many values")
      ->capture_default_str()
      ->check(CheckCount)
      ->type_name("COUNT");
  command
      ->add_option("--slice", o->slice,
                   "Print a part: START,LENGTH or - for each dimension, joined by ':'")
      ->type_name("SLICE");
  command->add_flag("--json", o->json,
                    "Print a JSON object, with the values in row-major order and '\uFFFD' for "
                    "invalid UTF-8");
  command->footer(
      "A folder with a 'checkpoint' file stands for its latest checkpoint.\n"
      "Exit codes: 0 success, 1 failure, 2 usage error.\n"
      "Examples:\n  ramet print model-1000 dense/bias --max 10\n"
      "  ramet print model-1000 embedding --slice 5,1:-\n"
      "  ramet print model-1000 dense/bias --json | jq .values");
  command->callback([=] { *status = Print(*o); });
}

}  // namespace cli
