#include "follow.h"

#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>
#include <thread>

#include "checkpoint.h"
#include "command.h"
#include "model.h"
#include "output_file.h"
#include "tensor_json.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;
using std::chrono::milliseconds;

constexpr std::string_view kScheme = "file:";

// Waits at most 10 seconds for a file. Trainers write the first .meta file after the checkpoint
// that it belongs to.
void WaitForFile(const std::string& path, milliseconds patience) {
  const auto end =
      std::chrono::steady_clock::now() + std::min<milliseconds>(patience, std::chrono::seconds(10));
  while (!std::filesystem::exists(path) && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(milliseconds(20));
  }
}

class CheckpointFollower {
 public:
  explicit CheckpointFollower(const FollowOptions& options) : options_(options) {}

  // Verifies a checkpoint, exports it if asked to, runs the fetches, and prints a line for the
  // checkpoint and its fetched values.
  rm::Status Show(const rm::FoundCheckpoint& found) {
    RAMET_ASSIGN_OR_RETURN(const CheckpointSummary summary, VerifyCheckpoint(found.prefix));
    const int64_t step = summary.step >= 0 ? summary.step : found.step;
    if (!options_.export_dir.empty()) RAMET_RETURN_IF_ERROR(Export(found.prefix));
    if (!options_.json) PrintLine(found.prefix, summary, step);
    std::vector<rm::Tensor> fetched;
    if (!options_.fetches.empty()) {
      RAMET_ASSIGN_OR_RETURN(fetched, RunModel(found.prefix));
    }
    if (options_.json) PrintJsonLine(found.prefix, summary, step, fetched);
    return rm::OkStatus();
  }

 private:
  static void PrintLine(const std::string& prefix, const CheckpointSummary& summary, int64_t step) {
    std::cout << (step >= 0 ? rm::StrCat("step ", step) : "step ?") << " · " << Clean(prefix)
              << " · " << Count(summary.tensors.size(), "tensor") << " · " << Bytes(summary.bytes)
              << " · verified" << std::endl;
  }

  void PrintJsonLine(const std::string& prefix, const CheckpointSummary& summary, int64_t step,
                     const std::vector<rm::Tensor>& fetched) const {
    nlohmann::json json = {
        {"prefix", prefix}, {"tensors", summary.tensors.size()}, {"bytes", summary.bytes}};
    if (step >= 0) json["step"] = step;
    for (size_t i = 0; i < fetched.size(); ++i) {
      json["fetched"][model_->fetched_names()[i]] = TensorJson(fetched[i]);
    }
    std::cout << json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
  }

  // Copies a checkpoint to the export folder under the same name.
  rm::Status Export(const std::string& prefix) const {
    RAMET_RETURN_IF_ERROR(MakeFolder(options_.export_dir));
    RAMET_ASSIGN_OR_RETURN(auto reader, rm::CheckpointReader::Open(prefix));
    const auto name = std::filesystem::path(prefix).filename();
    return rm::CopyCheckpoint(reader, (std::filesystem::path(options_.export_dir) / name).string());
  }

  rm::StatusOr<std::vector<rm::Tensor>> RunModel(const std::string& prefix) {
    if (!model_) {
      WaitForFile(prefix + ".meta", options_.patience());
      RAMET_ASSIGN_OR_RETURN(Model model, Model::Import(prefix + ".meta"));
      RAMET_RETURN_IF_ERROR(model.Prepare(options_.feeds, options_.fetches));
      model_ = std::move(model);
    }
    RAMET_RETURN_IF_ERROR(model_->Restore(prefix));
    RAMET_ASSIGN_OR_RETURN(auto fetched, model_->Run());
    for (size_t i = 0; !options_.json && i < fetched.size(); ++i) {
      std::cout << "  " << model_->fetched_names()[i] << "  " << fetched[i].ToString() << std::endl;
    }
    return fetched;
  }

  const FollowOptions& options_;
  std::optional<Model> model_;
};

rm::Status FollowCheckpoints(const FollowOptions& options) {
  const std::string dir = options.address.substr(kScheme.size());
  rm::CheckpointWatcher watcher(dir);
  CheckpointFollower follower(options);
  for (;;) {
    RAMET_ASSIGN_OR_RETURN(const auto found, watcher.Wait(options.patience()));
    const rm::Status shown = follower.Show(found);
    if (options.once) return shown;
    // If the trainer has removed this checkpoint, wait for the next one.
    if (rm::IsNotFound(shown) && !rm::BundleExists(found.prefix)) continue;
    RAMET_RETURN_IF_ERROR(shown);
  }
}

rm::Status Follow(const FollowOptions& options) {
  return options.address.starts_with(kScheme) ? FollowCheckpoints(options)
                                              : FollowPublished(options);
}

std::string CheckSeconds(const std::string& text) {
  double seconds = 0;
  return CLI::detail::lexical_cast(text, seconds) && seconds > 0
             ? ""
             : "'" + text + "' is not a number of seconds above 0";
}

}  // namespace

void AddFollow(CLI::App& app, rm::Status* status) {
  auto* command = app.add_subcommand(
      "follow", "Print a line for each published version, or for each new checkpoint in a folder");
  auto options = std::make_shared<FollowOptions>();
  command
      ->add_option("ADDRESS", options->address,
                   "The address of a publisher, one of " + rm::ReplicaAddressForms() +
                       "; a label may follow, as in shm:NAME@LABEL")
      ->required()
      ->check(AddressProblem);
  auto* fetch = command
                    ->add_option("--fetch,--run", options->fetches,
                                 "Compute this tensor with each version; can be repeated")
                    ->type_name("NAME");
  command
      ->add_option(
          "--feed", options->feeds,
          "Feed a tensor: NAME=FILE.npy or NAME=VALUE, with VALUE as JSON; can be repeated")
      ->needs(fetch)
      ->type_name("NAME=VALUE");
  command
      ->add_option("--export-checkpoints", options->export_dir,
                   "Save each version to this folder as a TensorFlow checkpoint")
      ->type_name("DIR");
  command->add_flag("--json", options->json, "Print a JSON object on one line for each version");
  command->add_flag("--once", options->once, "Exit after the first version");
  command
      ->add_option("--timeout", options->timeout,
                   "Exit with an error after SECONDS without a new version (default: wait forever)")
      ->check(CheckSeconds)
      ->type_name("SECONDS");
  command->footer(
      "The line of a published version shows its number, step, metrics, size, and how long it "
      "took\n"
      "to arrive (or its age). The line of a checkpoint shows its step, prefix, number of tensors\n"
      "and size; 'verified' means that every tensor was read and its checksum is correct.\n"
      "Versions that arrive faster than they can be shown are skipped. --fetch uses the published\n"
      "graph, or that of the first checkpoint's .meta file.\n"
      "Exit codes: 0 success (--once), 1 failure or timeout, 2 usage error, 130 interrupted.\n"
      "Examples:\n"
      "  ramet follow shm:policy\n"
      "  ramet follow shm:policy@stable --run out --feed images=x.npy\n"
      "  ramet follow shm:policy --export-checkpoints backups\n"
      "  ramet follow file:checkpoints --fetch out --feed images=x.npy\n"
      "  ramet follow file:checkpoints --json | jq .step\n"
      "  ramet follow file:checkpoints --once --timeout 60");
  command->callback([=] { *status = Follow(*options); });
}

}  // namespace cli
