#include <algorithm>
#include <filesystem>
#include <iostream>

#include "command.h"
#include "model.h"
#include "npy.h"

namespace cli {
namespace {

namespace rm = ramet;
namespace fs = std::filesystem;

struct RunOptions {
  std::string prefix, meta, folder;
  std::vector<std::string> feeds, fetches;
};

// "head/out:0" -> "head_out.npy", "out:1" -> "out_1.npy".
std::string FileName(std::string tensor) {
  if (tensor.ends_with(":0")) tensor.resize(tensor.size() - 2);
  std::ranges::replace(tensor, '/', '_');
  std::ranges::replace(tensor, ':', '_');
  return tensor + ".npy";
}

rm::Status Run(const RunOptions& options) {
  const std::string meta = options.meta.empty() ? options.prefix + ".meta" : options.meta;
  RAMET_ASSIGN_OR_RETURN(Model model, Model::Import(meta));
  RAMET_RETURN_IF_ERROR(model.Restore(options.prefix));
  RAMET_RETURN_IF_ERROR(model.Prepare(options.feeds, options.fetches));
  RAMET_ASSIGN_OR_RETURN(const auto fetched, model.Run());
  if (!options.folder.empty()) fs::create_directories(options.folder);
  for (size_t i = 0; i < fetched.size(); ++i) {
    const std::string& name = model.fetched_names()[i];
    std::cout << name << "  " << fetched[i].ToString();
    if (!options.folder.empty()) {
      const std::string path = fs::path(options.folder) / FileName(name);
      RAMET_RETURN_IF_ERROR(WriteNpy(path, fetched[i]));
      std::cout << "  -> " << path;
    }
    std::cout << "\n";
  }
  return rm::OkStatus();
}

}  // namespace

void AddRun(CLI::App& app, rm::Status* status) {
  auto* command = app.add_subcommand("run", "Runs a graph with the values of its checkpoint");
  auto options = std::make_shared<RunOptions>();
  command->add_option("PREFIX", options->prefix, "The checkpoint's path without .index")
      ->required();
  command->add_option("--meta", options->meta, "The graph (default: PREFIX.meta)");
  command->add_option("--feed", options->feeds,
                      "NAME=FILE.npy: the value of a tensor; can be repeated");
  command->add_option("--fetch", options->fetches, "Tensor to compute; can be repeated")
      ->required();
  command->add_option("-o,--output", options->folder, "Folder for one NAME.npy per fetched tensor");
  command->footer(
      "'x' means the tensor 'x:0'. Without -o the first values are shown.\n"
      "Example:\n  ramet run model-1000 --feed images=x.npy --fetch out -o results");
  command->callback([=] { *status = Run(*options); });
}

}  // namespace cli
