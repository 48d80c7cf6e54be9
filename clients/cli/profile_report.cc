#include "profile_report.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "flame.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;

bool IsInside(const ProfiledStep& inner, const ProfiledStep& outer) {
  return inner.start_nanos >= outer.start_nanos &&
         inner.start_nanos + inner.nanos <= outer.start_nanos + outer.nanos &&
         inner.node.size() > outer.node.size() && inner.node.starts_with(outer.node) &&
         inner.node[outer.node.size()] == '/';
}

// Subtracts the steps of functions from the steps that call them. The steps are in the order of
// their starts, so that a call comes before the steps inside it.
void SubtractCalls(std::vector<ProfiledStep>* steps) {
  std::vector<ProfiledStep*> calls;
  for (ProfiledStep& step : *steps) {
    while (!calls.empty() && !IsInside(step, *calls.back())) calls.pop_back();
    if (!calls.empty()) calls.back()->own_nanos -= step.nanos;
    calls.push_back(&step);
  }
}

}  // namespace

double Micros(int64_t nanos) { return static_cast<double>(nanos) / 1000; }

int64_t ProfiledRun::StepNanos() const {
  int64_t sum = 0;
  for (const ProfiledStep& step : steps) sum += step.own_nanos;
  return sum;
}

ProfiledRun MakeProfiledRun(const rm::RunMetadata& metadata, int64_t run_nanos) {
  ProfiledRun run;
  run.nanos = run_nanos;
  for (const rm::NodeStats& stats : metadata.steps) {
    const int64_t nanos = std::max<int64_t>(0, stats.end_nanos - stats.start_nanos);
    ProfiledStep step{stats.node,        stats.op, stats.device, stats.fused,
                      stats.start_nanos, nanos,    nanos,        stats.input_bytes};
    for (const rm::OutputStats& output : stats.outputs) step.bytes += output.bytes;
    run.steps.push_back(std::move(step));
  }
  // Steps end in the order of `metadata`. If two start together, the longer one is the call.
  std::ranges::stable_sort(run.steps, [](const ProfiledStep& a, const ProfiledStep& b) {
    return a.start_nanos != b.start_nanos ? a.start_nanos < b.start_nanos : a.nanos > b.nanos;
  });
  SubtractCalls(&run.steps);
  return run;
}

std::vector<ProfileRow> ProfileRows(const ProfiledRun& run, ProfileBy by) {
  std::map<std::string, ProfileRow> sums;
  for (const ProfiledStep& step : run.steps) {
    const std::string& name = by == ProfileBy::kOp ? step.op : step.node;
    ProfileRow& row = sums[name];
    row.name = name;
    row.op = step.op;
    ++row.count;
    row.nanos += step.own_nanos;
    row.bytes += step.bytes;
  }
  std::vector<ProfileRow> rows;
  for (auto& [name, row] : sums) rows.push_back(std::move(row));
  std::ranges::stable_sort(rows, std::greater(), &ProfileRow::nanos);
  return rows;
}

double GigabytesPerSecond(const ProfileRow& row) {
  return row.nanos > 0 ? static_cast<double>(row.bytes) / static_cast<double>(row.nanos) : 0;
}

nlohmann::json ChromeTrace(const ProfiledRun& run) {
  nlohmann::json events = nlohmann::json::array();
  std::map<std::string, int> processes;
  for (const ProfiledStep& step : run.steps) {
    const auto [process, added] =
        processes.emplace(step.device, static_cast<int>(processes.size()));
    if (added) {
      events.push_back({{"name", "process_name"},
                        {"ph", "M"},
                        {"pid", process->second},
                        {"args", {{"name", step.device}}}});
    }
    nlohmann::json args = {{"name", step.node}, {"op", step.op}, {"bytes", step.bytes}};
    if (!step.fused.empty()) args["fused"] = step.fused;
    events.push_back({{"name", step.op},
                      {"cat", "Op"},
                      {"ph", "X"},
                      {"pid", process->second},
                      {"tid", 0},
                      {"ts", Micros(step.start_nanos - run.steps.front().start_nanos)},
                      {"dur", Micros(step.nanos)},
                      {"args", std::move(args)}});
  }
  return {{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}};
}

std::string FlamePicture(const ProfiledRun& run, const std::string& title) {
  std::vector<draw::FlameEntry> entries;
  for (const ProfiledStep& step : run.steps) {
    std::string detail = Bytes(step.bytes);
    if (!step.fused.empty()) detail += rm::StrCat(", fused: ", rm::StrJoin(step.fused, ", "));
    entries.push_back({Clean(step.node), step.op, step.own_nanos, Clean(detail)});
  }
  return draw::FlameSvg(entries, title);
}

}  // namespace cli
