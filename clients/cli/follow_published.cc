#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>

#include "follow.h"
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

int64_t NowNanos() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Prints, runs and exports the versions that a follower receives.
class LiveCopy {
 public:
  LiveCopy(const FollowOptions& options, rm::Follower follower)
      : options_(options), follower_(std::move(follower)) {}

  rm::Status Prepare();
  // Waits for a version that is not the one shown last. Returns nothing after an interrupt.
  rm::StatusOr<std::optional<rm::VersionInfo>> Next();
  rm::Status Show(const rm::VersionInfo& info);

 private:
  rm::Status Export(const rm::VersionInfo& info);
  rm::StatusOr<std::vector<rm::Tensor>> Fetch() {
    return model_ ? model_->Run()
                  : rm::StatusOr<std::vector<rm::Tensor>>(std::vector<rm::Tensor>());
  }
  void PrintLine(const rm::VersionInfo& info) const;
  void PrintJsonLine(const rm::VersionInfo& info, const std::vector<rm::Tensor>& fetched) const;
  bool WasWaitedFor(const rm::VersionInfo& info) const { return info.time_nanos > waited_since_; }
  int64_t Age(const rm::VersionInfo& info) const {
    return std::max<int64_t>(came_at_ - info.time_nanos, 0);
  }
  // Returns the time from a version's publication until it could be used here.
  std::string AgeText(const rm::VersionInfo& info) const {
    const std::string age = Duration(Age(info));
    return WasWaitedFor(info) ? "arrived after " + age : age + " old";
  }
  // Returns the number of versions published between the one shown last and `info`.
  uint64_t Skipped(const rm::VersionInfo& info) const {
    const bool goes_on = info.id.epoch == shown_.epoch && info.id.version > shown_.version;
    return goes_on ? info.id.version - shown_.version - 1 : 0;
  }

  // Reports the end of a publisher on stderr.
  void NoteConnection();

  const FollowOptions& options_;
  rm::Follower follower_;
  std::optional<Model> model_;
  std::unique_ptr<rm::Saver> saver_;
  std::string exported_;  // the checkpoint of the last exported version
  rm::VersionId shown_;
  bool was_connected_ = true;
  int64_t waited_since_ = 0, came_at_ = 0;  // nanoseconds since 1970
};

rm::Status LiveCopy::Prepare() {
  if (!options_.fetches.empty()) {
    model_ = Model::Over(follower_.session());
    RAMET_RETURN_IF_ERROR(model_->Prepare(options_.feeds, options_.fetches));
  }
  if (options_.export_dir.empty()) return rm::OkStatus();
  RAMET_RETURN_IF_ERROR(MakeFolder(options_.export_dir));
  // Variables that only optimizers use are not published by default and have no values here.
  rm::Graph& graph = follower_.graph();
  std::vector<rm::Variable> with_values;
  for (const auto& variable :
       graph.collections().Get<rm::Variable>(rm::graph_keys::kGlobalVariables)) {
    RAMET_ASSIGN_OR_RETURN(const rm::Tensor value, follower_.session().Value(variable));
    if (!value.empty()) with_values.push_back(variable);
  }
  saver_ = std::make_unique<rm::Saver>(
      graph, rm::SaverOptions{.var_list = std::move(with_values), .name = "export"});
  return rm::OkStatus();
}

rm::StatusOr<std::optional<rm::VersionInfo>> LiveCopy::Next() {
  const auto end = Clock::now() + options_.patience();
  waited_since_ = NowNanos();
  while (!Interrupted()) {
    const auto info = follower_.Wait(shown_.version + 1, kInterruptCheckInterval);
    came_at_ = NowNanos();
    if (info.ok() && !(info->id == shown_)) return std::optional(*info);
    NoteConnection();
    if (!info.ok() && !rm::IsDeadlineExceeded(info.status())) return info.status();
    const rm::VersionInfo current = follower_.current();
    if (current.id.version != 0 && current.id.epoch != shown_.epoch) return std::optional(current);
    if (Clock::now() < end) continue;
    return rm::DeadlineExceeded(rm::PrintableAddress(options_.address), ": no new version within ",
                                options_.timeout, " s");
  }
  return std::optional<rm::VersionInfo>();
}

void LiveCopy::NoteConnection() {
  const bool connected = follower_.stats().connected;
  if (was_connected_ && !connected) {
    std::cerr << "the publisher at " << Clean(rm::PrintableAddress(options_.address))
              << " has ended; waiting for another one" << std::endl;
  }
  was_connected_ = connected;
}

rm::Status LiveCopy::Show(const rm::VersionInfo& info) {
  if (saver_ != nullptr) RAMET_RETURN_IF_ERROR(Export(info));
  if (!options_.json) PrintLine(info);
  RAMET_ASSIGN_OR_RETURN(const auto fetched, Fetch());
  if (options_.json) PrintJsonLine(info, fetched);
  for (size_t i = 0; !options_.json && i < fetched.size(); ++i) {
    std::cout << "  " << Clean(model_->fetched_names()[i]) << "  "
              << (fetched[i].empty() ? "done" : fetched[i].ToString()) << std::endl;
  }
  shown_ = info.id;
  return rm::OkStatus();
}

rm::Status LiveCopy::Export(const rm::VersionInfo& info) {
  const int64_t number = info.id.step >= 0 ? info.id.step : static_cast<int64_t>(info.id.version);
  const std::string prefix = (std::filesystem::path(options_.export_dir) / "model").string();
  RAMET_ASSIGN_OR_RETURN(exported_,
                         saver_->Save(follower_.session(), prefix, {.global_step = number}));
  return rm::OkStatus();
}

void LiveCopy::PrintLine(const rm::VersionInfo& info) const {
  std::cout << VersionText(info) << " · " << Bytes(static_cast<int64_t>(follower_.stats().bytes))
            << " · " << AgeText(info);
  if (const uint64_t skipped = Skipped(info)) std::cout << " · " << skipped << " skipped";
  if (!exported_.empty()) std::cout << " -> " << Clean(exported_);
  std::cout << std::endl;
}

void LiveCopy::PrintJsonLine(const rm::VersionInfo& info,
                             const std::vector<rm::Tensor>& fetched) const {
  nlohmann::json json = VersionJson(info);
  json["bytes"] = follower_.stats().bytes;
  if (WasWaitedFor(info)) json["latency_us"] = static_cast<double>(Age(info)) / 1000;
  json["skipped"] = Skipped(info);
  json["proof"] = rm::ProofName(info.proof);
  if (!exported_.empty()) json["exported"] = exported_;
  for (size_t i = 0; i < fetched.size(); ++i) {
    json["fetched"][model_->fetched_names()[i]] =
        fetched[i].empty() ? nlohmann::json() : TensorJson(fetched[i]);
  }
  std::cout << json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
}

// Opens the follower, waiting at most kInterruptCheckInterval at a time so that Ctrl-C ends the
// wait. Returns nothing after an interrupt.
rm::StatusOr<std::optional<rm::Follower>> Connect(const FollowOptions& options) {
  const auto end = Clock::now() + options.patience();
  while (!Interrupted()) {
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
    auto follower = rm::Follower::Open(
        options.address,
        {.wait = std::clamp(left, milliseconds(0), kInterruptCheckInterval), .automatic = false});
    if (follower.ok()) return std::optional(*std::move(follower));
    if (!rm::IsDeadlineExceeded(follower.status())) return follower.status();
    if (left <= kInterruptCheckInterval) {
      return rm::DeadlineExceeded(rm::PrintableAddress(options.address),
                                  ": there is no publisher; start one with 'ramet publish' or "
                                  "ramet.Publisher, or wait longer (--timeout ",
                                  options.timeout, ")");
    }
  }
  return std::optional<rm::Follower>();
}

}  // namespace

rm::Status FollowPublished(const FollowOptions& options) {
  const Interrupts interrupts;
  RAMET_ASSIGN_OR_RETURN(auto follower, Connect(options));
  if (!follower) return rm::OkStatus();
  LiveCopy copy(options, *std::move(follower));
  bool prepared = false;
  do {
    RAMET_ASSIGN_OR_RETURN(const auto info, copy.Next());
    if (!info) return rm::OkStatus();
    if (!prepared) RAMET_RETURN_IF_ERROR(copy.Prepare());
    prepared = true;
    RAMET_RETURN_IF_ERROR(copy.Show(*info));
  } while (!options.once);
  return rm::OkStatus();
}

}  // namespace cli
