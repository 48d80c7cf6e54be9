#include <iostream>

#include "command.h"
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

rm::Status List(const std::string& prefix, bool as_json) {
  RAMET_ASSIGN_OR_RETURN(rm::CheckpointReader reader, rm::CheckpointReader::Open(prefix));
  RAMET_ASSIGN_OR_RETURN(const auto tensors, reader.List());
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

rm::StatusOr<rm::Tensor> ReadTensor(rm::CheckpointReader& reader, const std::string& name,
                                    const std::string& slice) {
  if (slice.empty()) return reader.Read(name);
  RAMET_ASSIGN_OR_RETURN(const rm::TensorSlice box, rm::TensorSlice::Parse(slice));
  return reader.ReadSlice(name, box);
}

rm::Status Print(const std::string& prefix, const std::string& name, const std::string& slice,
                 int max) {
  RAMET_ASSIGN_OR_RETURN(rm::CheckpointReader reader, rm::CheckpointReader::Open(prefix));
  RAMET_ASSIGN_OR_RETURN(const rm::Tensor tensor, ReadTensor(reader, name, slice));
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
      "Examples:\n  ramet list model-1000\n  ramet list model-1000 --json | jq '.[].name'");
  command->callback([=] { *status = List(*prefix, *json); });
}

void AddPrint(CLI::App& app, rm::Status* status) {
  auto* command = app.add_subcommand("print", "One tensor of a checkpoint with its values");
  auto prefix = std::make_shared<std::string>();
  auto name = std::make_shared<std::string>();
  auto slice = std::make_shared<std::string>();
  auto max = std::make_shared<int>(100);
  command->add_option("PREFIX", *prefix, kPrefixHelp)->required();
  command->add_option("TENSOR", *name, "Its name in the checkpoint (see ramet list)")->required();
  command->add_option("--max", *max, "So many values at most")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command->add_option("--slice", *slice,
                      "A part: START,LENGTH or - for each dimension, joined by ':'");
  command->footer(
      "Examples:\n  ramet print model-1000 dense/bias --max 10\n"
      "  ramet print model-1000 embedding --slice 5,1:-");
  command->callback([=] { *status = Print(*prefix, *name, *slice, *max); });
}

}  // namespace cli
