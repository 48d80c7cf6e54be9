#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "checkpoint.h"
#include "command.h"
#include "interrupt.h"
#include "model.h"
#include "sync_text.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct PublishOptions {
  ModelOptions model;
  std::string address;
  rm::PublisherOptions publisher;
  bool watch = false, json = false, once = false;
};

// Returns the folder whose checkpoints --watch waits for.
std::string FolderOf(const std::string& path) {
  if (fs::is_directory(path)) return path;
  const fs::path parent = fs::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

// Reports whether the model has a global step with a value, which a publisher takes as the step.
rm::StatusOr<bool> HasGlobalStep(Model& model) {
  for (const auto& step :
       model.session().graph().collections().Get<rm::Variable>(rm::graph_keys::kGlobalStep)) {
    RAMET_ASSIGN_OR_RETURN(const rm::Tensor value, model.session().Value(step));
    if (!value.empty()) return true;
  }
  return false;
}

// Publishes the model's signatures too, except those with which SavedModels name an op to run.
rm::Status AddSignatures(const Model& model, rm::PublisherOptions* publisher) {
  for (const auto& [key, signature] : model.signatures()) {
    if (!publisher->graph || key.starts_with("__saved_model_")) continue;
    RAMET_ASSIGN_OR_RETURN(publisher->signature_defs[key], rm::SerializeSignature(signature));
  }
  return rm::OkStatus();
}

class Source {
 public:
  explicit Source(const PublishOptions& options)
      : options_(options), folder_(FolderOf(options.model.path)), watcher_(folder_) {}

  // Opens the model and publishes its values.
  rm::Status Start();
  // Publishes each new checkpoint (with --watch), or keeps shared memory available, until Ctrl-C.
  // \error as for the watcher and Publish.
  rm::Status GoOn();

 private:
  // Publishes the values. The step is that of the global step, or else `number`.
  rm::Status Publish(int64_t number);
  rm::Status PublishCheckpoint(const rm::FoundCheckpoint& found);

  const PublishOptions& options_;
  const std::string folder_;
  rm::CheckpointWatcher watcher_;
  std::optional<Model> model_;
  std::optional<rm::Publisher> publisher_;
};

rm::Status Source::Start() {
  const auto begin = Clock::now();
  bool is_told = false;
  int64_t number = -1;
  if (options_.watch) {
    while (!Interrupted()) {
      auto next = watcher_.Wait(kInterruptCheckInterval);
      if (next.ok()) {
        number = next->step;
        break;
      }
      if (!rm::IsDeadlineExceeded(next.status())) return next.status();
      if (is_told || Clock::now() - begin < kQuietWait) continue;
      std::cerr << Clean(WaitingFor(folder_)) << std::endl;
      is_told = true;
    }
    if (Interrupted()) return rm::OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(model_, Model::Open(options_.model));
  if (!model_->has_values()) {
    return rm::InvalidArgument("'", options_.model.path,
                               "' has a graph but no values to publish; name a checkpoint with "
                               "--checkpoint PREFIX");
  }
  rm::PublisherOptions publisher = options_.publisher;
  RAMET_RETURN_IF_ERROR(AddSignatures(*model_, &publisher));
  RAMET_ASSIGN_OR_RETURN(publisher_,
                         rm::Publisher::Open(options_.address, model_->session(), publisher));
  return Publish(options_.watch ? number : NumberOf(model_->checkpoint()));
}

rm::Status Source::Publish(int64_t number) {
  RAMET_ASSIGN_OR_RETURN(const bool has_step, HasGlobalStep(*model_));
  const int64_t step = has_step ? -1 : number;
  const auto start = Clock::now();
  RAMET_ASSIGN_OR_RETURN(const uint64_t version, publisher_->Publish({.step = step}));
  RAMET_RETURN_IF_ERROR(publisher_->Flush());
  const int64_t nanos = std::chrono::nanoseconds(Clock::now() - start).count();
  const rm::PublisherStats stats = publisher_->stats();
  int64_t bytes = 0;
  for (const rm::VariableSpec& spec : publisher_->signature()) {
    RAMET_ASSIGN_OR_RETURN(const auto size, rm::TensorBytes(spec.dtype, spec.shape));
    bytes += static_cast<int64_t>(size);
  }
  if (options_.json) {
    nlohmann::json json = {{"version", version},
                           {"bytes", bytes},
                           {"readers", stats.readers},
                           {"publish_us", static_cast<double>(nanos) / 1000}};
    json["step"] = stats.step < 0 ? nlohmann::json() : nlohmann::json(stats.step);
    std::cout << json.dump() << std::endl;
    return rm::OkStatus();
  }
  std::cout << "v" << version;
  if (stats.step >= 0) std::cout << " step " << stats.step;
  std::cout << " · " << Bytes(bytes) << " · " << Duration(nanos) << " · "
            << Count(stats.readers, "reader") << std::endl;
  return rm::OkStatus();
}

// Publishes a checkpoint. Skips one that the trainer has removed; reports and skips one that fails
// with kResourceExhausted.
rm::Status Source::PublishCheckpoint(const rm::FoundCheckpoint& found) {
  const rm::Status restored = model_->Restore(found.prefix);
  if (rm::IsNotFound(restored) && !rm::BundleExists(found.prefix)) return rm::OkStatus();
  RAMET_RETURN_IF_ERROR(restored);
  const rm::Status published = Publish(found.step);
  if (!rm::IsResourceExhausted(published)) return published;
  std::cerr << "ramet: not published: " << Clean(published.message()) << std::endl;
  return rm::OkStatus();
}

rm::Status Source::GoOn() {
  if (!publisher_ || options_.once) return rm::OkStatus();
  // Files and servers keep a version after this process has exited; shared memory does not.
  const bool must_run = !rm::OutlivesPublisher(options_.address);
  if (!options_.watch && !must_run) return rm::OkStatus();
  if (!options_.watch) {
    std::cerr << "publishing until interrupted (Ctrl-C)" << std::endl;
    while (SleepUnlessInterrupted(std::chrono::hours(1))) continue;
    return rm::OkStatus();
  }
  while (!Interrupted()) {
    const auto found = watcher_.Wait(kInterruptCheckInterval);
    if (found.ok()) {
      RAMET_RETURN_IF_ERROR(PublishCheckpoint(*found));
    } else if (!rm::IsDeadlineExceeded(found.status())) {
      return found.status();
    }
  }
  return rm::OkStatus();
}

rm::Status Publish(const PublishOptions& options) {
  const Interrupts interrupts;
  Source source(options);
  RAMET_RETURN_IF_ERROR(source.Start());
  return source.GoOn();
}

std::string CheckMode(const std::string& text) {
  const bool octal = !text.empty() && text.size() <= 4 &&
                     std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '7'; });
  return octal ? "" : "'" + text + "' is not an octal file mode such as 0600";
}

std::string ModeText(uint32_t mode) {
  char text[16];
  std::snprintf(text, sizeof(text), "%04o", mode);
  return text;
}

}  // namespace

void AddPublish(CLI::App& app, rm::Status* status) {
  auto* command =
      app.add_subcommand("publish", "Publish a model's values to followers in other processes");
  auto options = std::make_shared<PublishOptions>();
  AddModelOptions(command, &options->model);
  command
      ->add_option("ADDRESS", options->address,
                   "The address to publish at, one of " + rm::ReplicaAddressForms())
      ->required()
      ->check(AddressProblem);
  command->add_flag("--watch", options->watch,
                    "Publish each new checkpoint in the folder of MODEL as it appears");
  rm::PublisherOptions& publisher = options->publisher;
  command->add_flag("--all", publisher.all_variables,
                    "Also publish variables that only optimizers use");
  command->add_flag_callback(
      "--no-graph", [&publisher] { publisher.graph = false; },
      "Publish the values without the graph");
  command
      ->add_option("--retained", publisher.retention.retained,
                   "Keep this many versions for followers")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->type_name("COUNT");
  command
      ->add_option_function<std::string>(
          "--mode",
          [&publisher](const std::string& mode) {
            publisher.access.mode = static_cast<uint32_t>(std::stoul(mode, nullptr, 8));
          },
          "Allow users to follow by this octal file mode, such as 0660 for a group")
      ->check(CheckMode)
      ->default_str(ModeText(publisher.access.mode))
      ->type_name("MODE");
  command->add_flag("--takeover", publisher.access.takeover,
                    "Take the address from a publisher that is there; its followers move here");
  command->add_flag("--once", options->once, "Exit after the first version");
  command->add_flag("--json", options->json, "Print a JSON object on one line for each version");
  command->footer(
      "Each line shows the version, its step and size, the time until followers could take\n"
      "it, and the number of readers. At an address where versions outlive the publisher, new "
      "followers can\n"
      "take them after this program has exited. At other addresses it must keep running for new\n"
      "followers; those already there keep the last version when it exits.\n"
      "Exit codes: 0 success, 1 failure, 2 usage error, 130 interrupted.\n"
      "Examples:\n"
      "  ramet publish model-1000 shm:policy\n"
      "  ramet publish checkpoints/ shm:policy --watch\n"
      "  ramet publish saved_model/ shm:/run/app/policy.sock --mode 0660");
  command->callback([=] { *status = Publish(*options); });
}

}  // namespace cli
