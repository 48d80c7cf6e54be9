#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>

#include "command.h"
#include "model.h"
#include "npy.h"
#include "output_file.h"
#include "tensor_json.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;
namespace fs = std::filesystem;

struct RunOptions {
  StepOptions step;
  std::string folder;
  bool json = false;
};

// Makes a file name: "head_out.npy" for "head/out:0", "out_1.npy" for "out:1".
std::string FileName(std::string tensor) {
  if (tensor.ends_with(":0")) tensor.resize(tensor.size() - 2);
  std::ranges::replace(tensor, '/', '_');
  std::ranges::replace(tensor, ':', '_');
  return tensor + ".npy";
}

// Returns the file for each fetched tensor; "" for operations.
// \error kInvalidArgument if two tensors would be written to the same file.
rm::StatusOr<std::vector<std::string>> FilesOf(const std::vector<std::string>& names,
                                               const std::vector<rm::Tensor>& fetched,
                                               const std::string& folder) {
  std::vector<std::string> files(names.size());
  std::set<std::string> taken;
  for (size_t i = 0; i < names.size() && !folder.empty(); ++i) {
    if (fetched[i].empty()) continue;
    files[i] = (fs::path(folder) / FileName(names[i])).string();
    if (taken.insert(files[i]).second) continue;
    return rm::InvalidArgument("'", names[i],
                               "' and another fetched tensor would both be written to '", files[i],
                               "'; fetch them in two runs");
  }
  return files;
}

rm::Status Show(const RunOptions& options, const std::vector<std::string>& names,
                const std::vector<rm::Tensor>& fetched, const std::vector<std::string>& files) {
  nlohmann::json json = nlohmann::json::object();
  for (size_t i = 0; i < fetched.size(); ++i) {
    if (options.json) {
      json[names[i]] = fetched[i].empty() ? nlohmann::json() : TensorJson(fetched[i]);
      continue;
    }
    std::cout << Clean(names[i]) << "  " << (fetched[i].empty() ? "done" : fetched[i].ToString());
    if (!files[i].empty()) std::cout << "  -> \"" << files[i] << "\"";
    std::cout << "\n";
  }
  if (options.json) PrintJson(json);
  return rm::OkStatus();
}

rm::Status Run(const RunOptions& options) {
  RAMET_ASSIGN_OR_RETURN(Model model, OpenStep(options.step, "fetch"));
  const auto run = model.Run();
  if (!run.ok()) return WithHint(run.status());
  const std::vector<rm::Tensor>& fetched = *run;
  const std::vector<std::string>& names = model.fetched_names();
  RAMET_ASSIGN_OR_RETURN(const auto files, FilesOf(names, fetched, options.folder));
  if (!options.folder.empty()) RAMET_RETURN_IF_ERROR(MakeFolder(options.folder));
  for (size_t i = 0; i < files.size(); ++i) {
    if (!files[i].empty()) RAMET_RETURN_IF_ERROR(WithHint(WriteNpy(files[i], fetched[i])));
  }
  return Show(options, names, fetched, files);
}

}  // namespace

void AddRun(CLI::App& app, rm::Status* status) {
  auto* command = app.add_subcommand("run", "Run a graph with the values of its checkpoint");
  auto options = std::make_shared<RunOptions>();
  AddStepOptions(command, &options->step);
  command
      ->add_option("-o,--output", options->folder,
                   "Write each fetched tensor to a .npy file in this folder")
      ->type_name("DIR");
  command->add_flag("--json", options->json, "Print a JSON object with all values");
  command->footer(
      "'x' means the tensor 'x:0'. Without --json, only the first values are printed.\n"
      "Exit codes: 0 success, 1 failure, 2 usage error.\n"
      "Examples:\n  ramet run model-1000 --feed images=x.npy --fetch out -o results\n"
      "  ramet run saved_model/ --signature serving_default --feed images=x.npy\n"
      "  ramet run frozen.pb --feed x=x.npy --feed keep_prob=1.0 --fetch out --json");
  command->callback([=] { *status = Run(*options); });
}

}  // namespace cli
