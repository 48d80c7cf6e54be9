#include "summary.h"

#include <plot.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

namespace example {
namespace {

namespace fs = std::filesystem;
namespace rm = ramet;

// The accuracy that 10,000 steps must reach. TensorFlow reaches 0.874 and 0.883 on the same task.
constexpr int64_t kFullRun = 10000;
constexpr double kMinAccuracy = 0.865;

std::optional<Failure> CompareWith(const std::vector<Report>& trained, const std::string& name,
                                   const std::vector<Report>& followed, bool may_round) {
  std::map<int64_t, Report> by_step;
  for (const Report& report : trained) by_step[report.step] = report;
  for (const Report& report : followed) {
    auto found = by_step.find(report.step);
    const bool has_step = found != by_step.end();
    const int64_t may_differ = has_step && may_round ? found->second.close : 0;
    if (has_step && std::abs(found->second.correct - report.correct) <= may_differ) continue;
    const std::string trainer = has_step ? std::to_string(found->second.correct) : "none";
    return Failure{kFailed, rm::StrCat("the sides disagree at step ", report.step, ": of ",
                                       report.images, " test images, the trainer classifies ",
                                       trainer, " correctly and the ", name, " ", report.correct)};
  }
  return std::nullopt;
}

rm::examples::Series AccuracyOf(const std::string& name, const std::vector<Report>& reports,
                                double width) {
  rm::examples::Series series{.name = name, .x = {}, .y = {}, .width = width};
  for (const Report& report : reports) {
    series.x.push_back(static_cast<double>(report.step));
    series.y.push_back(report.accuracy());
  }
  return series;
}

int64_t Median(std::vector<int64_t> values) {
  if (values.empty()) return -1;
  const auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Returns the median time for which an update stopped the trainer.
int64_t MedianStall(const std::vector<Report>& trained, Span Report::*given) {
  std::vector<int64_t> stalls;
  for (const Report& report : trained) {
    stalls.push_back((report.*given).end - (report.*given).begin);
  }
  return Median(std::move(stalls));
}

// Returns the median time from when the trainer began an update until a follower could use it.
// Counts only updates that the follower was waiting for; for others it was busy with the last one.
int64_t MedianLatency(const std::vector<Report>& trained, Span Report::*given,
                      const std::vector<Report>& followed) {
  std::map<int64_t, int64_t> begins;
  for (const Report& report : trained) begins[report.step] = (report.*given).begin;
  std::vector<int64_t> latencies;
  for (const Report& report : followed) {
    const int64_t begin = begins[report.step];
    if (report.waited.begin < begin) latencies.push_back(report.waited.end - begin);
  }
  return Median(std::move(latencies));
}

std::string Time(int64_t nanos) {
  if (nanos < 0) return "-";
  char text[32];
  const double micros = static_cast<double>(nanos) / 1000;
  if (micros < 1000) {
    std::snprintf(text, sizeof(text), "%.0f us", micros);
  } else {
    std::snprintf(text, sizeof(text), "%.1f ms", micros / 1000);
  }
  return text;
}

void PrintRow(const char* way, const std::string& stall, const std::string& latency,
              const std::string& updates) {
  std::printf("  %-20s %14s %14s %10s\n", way, stall.c_str(), latency.c_str(), updates.c_str());
}

void PrintCosts(const Outcome& outcome) {
  const auto& [trained, by_memory, by_files] = outcome;
  PrintRow("Update by", "stalls trainer", "usable after", "received");
  PrintRow("shared memory (shm:)", Time(MedianStall(trained, &Report::published)),
           Time(MedianLatency(trained, &Report::published, by_memory)),
           std::to_string(by_memory.size()));
  PrintRow("checkpoints (file:)", Time(MedianStall(trained, &Report::saved)),
           Time(MedianLatency(trained, &Report::saved, by_files)), std::to_string(by_files.size()));
  std::printf("  (medians of %d updates)\n\n", static_cast<int>(trained.size()));
  std::fflush(stdout);
}

}  // namespace

std::string Fixed(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4f", value);
  return text;
}

std::optional<Failure> Compare(const Outcome& outcome, bool may_round) {
  const auto& trained = outcome.trained;
  if (auto failure = CompareWith(trained, kMemoryFollower, outcome.followed_memory, may_round))
    return failure;
  if (auto failure = CompareWith(trained, kFileFollower, outcome.followed_files, may_round))
    return failure;
  const Report& last = trained.back();
  if (last.step >= kFullRun && last.accuracy() < kMinAccuracy) {
    return Failure{kFailed,
                   rm::StrCat("the accuracy is ", Fixed(last.accuracy()), "; expected at least ",
                              kMinAccuracy, " after ", last.step, " steps")};
  }
  return std::nullopt;
}

std::optional<Failure> WritePlot(const std::string& path, const Outcome& outcome) {
  std::ofstream file(path);
  file << ToSvg(rm::examples::LineChart{
      .title = "Accuracy on the test images",
      .x_label = "step",
      .y_label = "accuracy",
      .series = {AccuracyOf(kTrainer, outcome.trained, 7),
                 AccuracyOf(kFileFollower, outcome.followed_files, 4),
                 AccuracyOf(kMemoryFollower, outcome.followed_memory, 1.5)}});
  file.close();
  if (file) return std::nullopt;
  return Failure{kFailed, "cannot write the plot to '" + path + "': " + std::strerror(errno)};
}

void PrintSummary(const Options& options, const Outcome& outcome, bool fresh_folder,
                  const std::string& elapsed) {
  const Report& last = outcome.trained.back();
  const std::string ramet = fs::path(ProgramPath()).parent_path() / "ramet";
  std::cout << "\nAccuracy: " << Fixed(last.accuracy()) << " on all sides (" << last.correct
            << " of " << last.images << " test images), equal after every update"
            << (Compare(outcome, false) ? ", except where rounding decides" : "") << "\n\n"
            << std::flush;
  PrintCosts(outcome);
  if (!fresh_folder)
    std::cout << "Checkpoints kept in: " << ShortPath(options.checkpoint_dir) << "\n";
  std::cout << "Time: " << elapsed << "\nPlot: " << ShortPath(options.plot)
            << "\nTo follow your own trainer: " << ShortPath(ramet) << " follow shm:NAME, or "
            << ShortPath(ramet) << " follow file:DIR\n";
}

}  // namespace example
