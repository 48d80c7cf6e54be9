#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>

#include "command.h"
#include "model.h"
#include "output_file.h"
#include "profile_report.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;

// The first runs compile the plan, and make the buffers that later runs use again.
constexpr int kWarmUpRuns = 3;

struct ProfileOptions {
  StepOptions step;
  int runs = 20;
  int top = 25;
  std::string by = "op";
  std::string chrome_trace, svg;
  bool unfused = false;
  bool json = false;
};

// The fastest run with a trace, and the time of the fastest run without one.
struct Profile {
  ProfiledRun run;
  int64_t untraced_nanos = 0;
};

int64_t NanosSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
}

rm::Status RunTraced(Model& model, const ProfileOptions& options, ProfiledRun* fastest) {
  rm::RunMetadata metadata;
  rm::RunOptions traced;
  traced.trace = true;
  traced.trace_fused = !options.unfused;
  const auto start = std::chrono::steady_clock::now();
  RAMET_RETURN_IF_ERROR(model.Run(traced, &metadata).status());
  const int64_t nanos = NanosSince(start);
  if (fastest->nanos == 0 || nanos < fastest->nanos) *fastest = MakeProfiledRun(metadata, nanos);
  return rm::OkStatus();
}

rm::Status RunUntraced(Model& model, int64_t* fastest) {
  const auto start = std::chrono::steady_clock::now();
  RAMET_RETURN_IF_ERROR(model.Run().status());
  const int64_t nanos = NanosSince(start);
  if (*fastest == 0 || nanos < *fastest) *fastest = nanos;
  return rm::OkStatus();
}

// Runs the model with and without a trace in turn.
rm::StatusOr<Profile> MakeProfile(const ProfileOptions& options) {
  RAMET_ASSIGN_OR_RETURN(Model model, OpenStep(options.step, "run"));
  Profile profile;
  for (int i = 0; i < kWarmUpRuns; ++i) {
    RAMET_RETURN_IF_ERROR(WithHint(model.Run().status()));
  }
  for (int i = 0; i < options.runs; ++i) {
    RAMET_RETURN_IF_ERROR(RunTraced(model, options, &profile.run));
    RAMET_RETURN_IF_ERROR(RunUntraced(model, &profile.untraced_nanos));
  }
  return profile;
}

double Share(int64_t nanos, int64_t all) {
  return all > 0 ? static_cast<double>(nanos) / static_cast<double>(all) : 0;
}

nlohmann::json ProfileJson(const Profile& profile, const std::vector<ProfileRow>& rows) {
  nlohmann::json list = nlohmann::json::array();
  const int64_t all = profile.run.StepNanos();
  for (const ProfileRow& row : rows) {
    list.push_back({{"name", row.name},
                    {"op", row.op},
                    {"count", row.count},
                    {"us", Micros(row.nanos)},
                    {"share", Share(row.nanos, all)},
                    {"bytes", row.bytes}});
  }
  return {{"run_us", Micros(profile.untraced_nanos)},
          {"traced_run_us", Micros(profile.run.nanos)},
          {"steps_us", Micros(all)},
          {"steps", profile.run.steps.size()},
          {"rows", std::move(list)}};
}

// Appends formatted columns: count, time, share, bytes and rate.
void PrintRow(const std::string& name, size_t width, const ProfileRow& row, int64_t all) {
  char columns[128];
  std::snprintf(columns, sizeof(columns), "%7lld %11.1f %6.1f%% %10s %7.1f",
                static_cast<long long>(row.count), Micros(row.nanos), 100 * Share(row.nanos, all),
                Bytes(row.bytes).c_str(), GigabytesPerSecond(row));
  std::cout << name << std::string(width - std::min(width, name.size()), ' ') << columns << "\n";
}

// Returns the name of a row; that of a node is followed by its op.
std::string Label(const ProfileRow& row, ProfileBy by) {
  std::string label = Clean(by == ProfileBy::kOp ? row.name : rm::StrCat(row.name, "  ", row.op));
  constexpr size_t kMaxLabel = 70;
  if (label.size() > kMaxLabel) label = label.substr(0, kMaxLabel - 3) + "...";
  return label;
}

void PrintTable(const Profile& profile, const std::vector<ProfileRow>& rows, ProfileBy by,
                size_t top) {
  const int64_t all = profile.run.StepNanos();
  std::vector<std::string> labels;
  size_t width = 12;
  for (size_t i = 0; i < std::min(top, rows.size()); ++i) {
    labels.push_back(Label(rows[i], by));
    width = std::max(width, labels.back().size());
  }
  const std::string head = by == ProfileBy::kOp ? "op" : "node";
  std::cout << head << std::string(width - head.size(), ' ')
            << "  count    total us   share      bytes    GB/s\n";
  for (size_t i = 0; i < labels.size(); ++i) PrintRow(labels[i], width, rows[i], all);
  ProfileRow rest;
  for (size_t i = labels.size(); i < rows.size(); ++i) {
    rest.count += rows[i].count;
    rest.nanos += rows[i].nanos;
    rest.bytes += rows[i].bytes;
  }
  if (rest.count > 0) {
    PrintRow(rm::StrCat(rows.size() - labels.size(), " more"), width, rest, all);
  }
}

void PrintSummary(const Profile& profile, int runs) {
  char line[160];
  std::snprintf(
      line, sizeof(line),
      "fastest of %d runs: %.1f us; with a trace %.1f us, of which %zu steps took %.1f us\n", runs,
      Micros(profile.untraced_nanos), Micros(profile.run.nanos), profile.run.steps.size(),
      Micros(profile.run.StepNanos()));
  std::cout << line;
}

// Checks the output files before the runs, which may take long.
rm::Status CheckFolders(const ProfileOptions& options) {
  if (!options.chrome_trace.empty()) {
    RAMET_RETURN_IF_ERROR(CheckFolderOf("--chrome-trace", options.chrome_trace));
  }
  return options.svg.empty() ? rm::OkStatus() : CheckFolderOf("--svg", options.svg);
}

rm::Status WriteFiles(const ProfileOptions& options, const Profile& profile) {
  if (!options.chrome_trace.empty()) {
    const std::string text =
        ChromeTrace(profile.run).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    RAMET_RETURN_IF_ERROR(WriteWhole(options.chrome_trace, text + "\n"));
  }
  if (options.svg.empty()) return rm::OkStatus();
  char time[48];
  std::snprintf(time, sizeof(time), ": %.1f us in %zu steps", Micros(profile.run.StepNanos()),
                profile.run.steps.size());
  const std::string title = Clean(options.step.model.path) + time;
  return WriteWhole(options.svg, FlamePicture(profile.run, title));
}

rm::Status ProfileModel(const ProfileOptions& options) {
  RAMET_RETURN_IF_ERROR(CheckFolders(options));
  RAMET_ASSIGN_OR_RETURN(const Profile profile, MakeProfile(options));
  RAMET_RETURN_IF_ERROR(WriteFiles(options, profile));
  const ProfileBy by = options.by == "node" ? ProfileBy::kNode : ProfileBy::kOp;
  const std::vector<ProfileRow> rows = ProfileRows(profile.run, by);
  if (options.json) {
    PrintJson(ProfileJson(profile, rows));
    return rm::OkStatus();
  }
  PrintSummary(profile, options.runs);
  PrintTable(profile, rows, by, static_cast<size_t>(options.top));
  return rm::OkStatus();
}

void AddProfileOptions(CLI::App* command, ProfileOptions* options) {
  AddStepOptions(command, &options->step);
  command->add_option("--runs", options->runs, "Measure this number of runs (default: 20)")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  command->add_option("--by", options->by, "Sum by op types (the default) or by nodes")
      ->check(CLI::IsMember({"op", "node"}))
      ->type_name("WHAT");
  command->add_option("--top", options->top, "Print this number of rows (default: 25)")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  command->add_flag("--unfused", options->unfused, "Run the operations one by one");
  command
      ->add_option("--chrome-trace", options->chrome_trace,
                   "Write a trace for chrome://tracing or ui.perfetto.dev to this file")
      ->type_name("FILE");
  command
      ->add_option("--svg", options->svg,
                   "Write a picture of the times by name scopes to this file")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "Print a JSON object with all rows");
}

}  // namespace

void AddProfile(CLI::App& app, rm::Status* status) {
  auto* command = app.add_subcommand("profile", "Show where the time of a run goes");
  auto options = std::make_shared<ProfileOptions>();
  AddProfileOptions(command, options.get());
  command->footer(
      "The model runs several times. The fastest run is shown: the time of its operations, and "
      "the\nbytes of their inputs and outputs. Operations that run as one are joined by '+'. A "
      "fetched\ntraining step changes the variables in memory; no file of the model is changed.\n"
      "Exit codes: 0 success, 1 failure, 2 usage error.\n"
      "Examples:\n  ramet profile model-1000 --feed images=x.npy --fetch out\n"
      "  ramet profile saved_model/ --signature serving_default --feed images=x.npy --by node\n"
      "  ramet profile frozen.pb --feed x=x.npy --fetch out --svg profile.svg "
      "--chrome-trace trace.json");
  command->callback([=] { *status = ProfileModel(*options); });
}

}  // namespace cli
