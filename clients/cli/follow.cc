#include "follow.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>
#include <thread>

#include "checkpoint.h"
#include "command.h"
#include "interrupt.h"
#include "model.h"
#include "output_file.h"
#include "sync_text.h"
#include "tensor_json.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Waits at most 10 seconds for a file. Trainers write the first .meta file after the checkpoint
// that it belongs to.
void WaitForFile(const std::string& path, milliseconds patience) {
  const auto end = Clock::now() + std::min<milliseconds>(patience, std::chrono::seconds(10));
  while (!std::filesystem::exists(path) && Clock::now() < end && !Interrupted()) {
    std::this_thread::sleep_for(milliseconds(20));
  }
}

class CheckpointFollower {
 public:
  explicit CheckpointFollower(const FollowOptions& options) : options_(options) {}

  // Verifies a checkpoint, exports it if asked to, runs the fetches, and prints a line for the
  // checkpoint and its fetched values.
  rm::Status Show(const std::string& prefix) {
    RAMET_ASSIGN_OR_RETURN(const CheckpointSummary summary, VerifyCheckpoint(prefix));
    const int64_t step = summary.step >= 0 ? summary.step : NumberOf(prefix);
    if (!options_.export_dir.empty()) RAMET_RETURN_IF_ERROR(Export(prefix));
    if (!options_.json) PrintLine(prefix, summary, step);
    std::vector<rm::Tensor> fetched;
    if (!options_.fetches.empty()) {
      RAMET_ASSIGN_OR_RETURN(fetched, RunModel(prefix));
    }
    if (options_.json) PrintJsonLine(prefix, summary, step, fetched);
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

bool HasCheckpoints(const std::filesystem::path& folder) {
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder.empty() ? "." : folder, error)) {
    if (entry.path().extension() == ".index") return true;
  }
  return false;
}

// Finds the checkpoints of a folder, or of a label or prefix in it, as a Follower does.
class CheckpointSource {
 public:
  CheckpointSource(const FollowOptions& options, rm::ReplicaAddress address)
      : options_(options), address_(std::move(address)) {}

  // Waits for a version that is not the one returned last, and returns the prefix of its
  // checkpoint. Returns nothing after an interrupt.
  // \error kDeadlineExceeded: none came in time.
  // \error as for ReplicaMonitor::Open.
  rm::StatusOr<std::optional<std::string>> Next();

 private:
  rm::StatusOr<std::string> Find();
  std::string WhyNone() const;

  const FollowOptions& options_;
  const rm::ReplicaAddress address_;
  std::optional<rm::ReplicaMonitor> monitor_;
  rm::VersionId last_;
  std::string told_;  // why there is no checkpoint, as printed last
};

// Returns the checkpoint of a new version, or "" if there is none.
rm::StatusOr<std::string> CheckpointSource::Find() {
  if (monitor_ && monitor_->ended()) monitor_.reset();
  if (!monitor_) {
    auto opened = rm::ReplicaMonitor::Open(options_.address);
    if (rm::IsNotFound(opened.status())) return std::string();
    RAMET_ASSIGN_OR_RETURN(monitor_, std::move(opened));
  }
  const rm::VersionId id{monitor_->announcement().epoch, monitor_->Newest(address_.label)};
  if (id.version == 0 || id == last_) return std::string();
  std::string prefix = monitor_->CheckpointOf(id.version);
  if (!prefix.empty()) last_ = id;
  return prefix;
}

// Says why there is no checkpoint to show, or returns "" if one was shown before.
std::string CheckpointSource::WhyNone() const {
  if (last_.version != 0) return "";
  const std::string& path = address_.location;
  std::error_code ignored;
  if (monitor_ && !address_.label.empty()) {
    return rm::StrCat("waiting for the label '", address_.label,
                      "': no version has it yet; give it to one with 'ramet sync promote'");
  }
  const bool is_folder = path.ends_with('/') || std::filesystem::is_directory(path, ignored);
  if (!is_folder && HasCheckpoints(std::filesystem::path(path).parent_path())) {
    return rm::StrCat("waiting for a checkpoint '", path,
                      "': there is neither a checkpoint nor a folder of that name");
  }
  return WaitingFor(path);
}

rm::StatusOr<std::optional<std::string>> CheckpointSource::Next() {
  const auto begin = Clock::now();
  const auto end = begin + options_.patience();
  while (!Interrupted()) {
    RAMET_ASSIGN_OR_RETURN(std::string prefix, Find());
    if (!prefix.empty()) return std::optional(std::move(prefix));
    const std::string why = WhyNone();
    if (Clock::now() >= end) {
      return rm::DeadlineExceeded(options_.address, ": no new checkpoint within --timeout ",
                                  options_.timeout, " s",
                                  why.empty() ? "" : rm::StrCat(" (", why, ")"));
    }
    if (why != told_ && Clock::now() - begin > kQuietWait) {
      if (!why.empty()) std::cerr << Clean(why) << std::endl;
      told_ = why;
    }
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
    const milliseconds pause = std::min(left, kInterruptCheckInterval);
    monitor_ ? monitor_->Wait(pause) : std::this_thread::sleep_for(pause);
  }
  return std::optional<std::string>();
}

rm::Status FollowCheckpoints(const FollowOptions& options, rm::ReplicaAddress address) {
  const Interrupts interrupts;
  CheckpointSource source(options, std::move(address));
  CheckpointFollower follower(options);
  for (;;) {
    RAMET_ASSIGN_OR_RETURN(const auto prefix, source.Next());
    if (!prefix) return rm::OkStatus();
    const rm::Status shown = follower.Show(*prefix);
    // If the trainer has removed this checkpoint, wait for the next one.
    if (rm::IsNotFound(shown) && !rm::BundleExists(*prefix)) continue;
    RAMET_RETURN_IF_ERROR(shown);
    if (options.once) return rm::OkStatus();
  }
}

rm::Status Follow(const FollowOptions& options) {
  RAMET_ASSIGN_OR_RETURN(rm::ReplicaAddress address, rm::ParseReplicaAddress(options.address));
  return IsFolderAddress(options.address) ? FollowCheckpoints(options, std::move(address))
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
  auto* fetch =
      command
          ->add_option("--fetch,--run", options->fetches,
                       "Compute this tensor with each version; can be repeated (--run is the same)")
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
      "  ramet follow shm:policy@stable --fetch out --feed images=x.npy\n"
      "  ramet follow shm:policy --export-checkpoints backups\n"
      "  ramet follow file:checkpoints --fetch out --feed images=x.npy\n"
      "  ramet follow file:checkpoints --json | jq .step\n"
      "  ramet follow file:checkpoints --once --timeout 60");
  command->callback([=] { *status = Follow(*options); });
}

}  // namespace cli
