#include "follow.h"

#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>
#include <thread>

#include "checkpoint.h"
#include "command.h"
#include "model.h"
#include "tensor_json.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;
using std::chrono::milliseconds;

constexpr std::string_view kScheme = "file:";

// A trainer writes the first .meta file after the checkpoint that it belongs to.
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

  // Verifies a checkpoint, copies it, runs what is to be fetched, prints both.
  rm::Status Show(const rm::FoundCheckpoint& found) {
    RAMET_ASSIGN_OR_RETURN(const CheckpointSummary summary, VerifyCheckpoint(found.prefix));
    const int64_t step = summary.step >= 0 ? summary.step : found.step;
    if (!options_.json) PrintLine(found.prefix, summary, step);
    if (!options_.export_dir.empty()) RAMET_RETURN_IF_ERROR(Export(found.prefix));
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

  // As it is, under the same name.
  rm::Status Export(const std::string& prefix) const {
    std::error_code error;
    std::filesystem::create_directories(options_.export_dir, error);
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
    // A checkpoint that its trainer has removed meanwhile is followed by another.
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
  return CLI::detail::lexical_cast(text, seconds) && seconds > 0 ? ""
                                                                 : "'" + text + "' is not above 0";
}

}  // namespace

void AddFollow(CLI::App& app, rm::Status* status) {
  auto* command = app.add_subcommand(
      "follow", "A line for each version that is published, or each checkpoint in a folder");
  auto options = std::make_shared<FollowOptions>();
  command
      ->add_option("ADDRESS", options->address,
                   "shm:NAME, shm:NAME@LABEL or redis://HOST/NAME, where something is published; "
                   "file:DIR, the folder that a trainer saves to")
      ->required()
      ->check(AddressProblem);
  auto* fetch = command->add_option("--fetch,--run", options->fetches,
                                    "Tensor to compute with each; can be repeated");
  command
      ->add_option("--feed", options->feeds,
                   "NAME=FILE.npy or NAME=VALUE: the value of a tensor; can be repeated")
      ->needs(fetch);
  command->add_option("--export-checkpoints", options->export_dir,
                      "Folder that each goes to as a checkpoint of TensorFlow's form");
  command->add_flag("--json", options->json, "A JSON object on a line for each");
  command->add_flag("--once", options->once, "End after the first");
  command->add_option("--timeout", options->timeout, "Fail when none comes for so many seconds")
      ->check(CheckSeconds);
  command->footer(
      "A published version: number, step, metrics, size, how long it took to be usable here.\n"
      "A checkpoint: step, checkpoint, tensors, size; verified: every tensor was read and its "
      "checksum is right.\n"
      "Versions that come faster than they can be shown are skipped. With --fetch the graph is the "
      "published one, or comes from the first checkpoint's .meta file.\n"
      "Exit codes: 0 done (--once), 1 failed or none came in time, 2 wrong usage, 130 "
      "interrupted.\n"
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
