#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cli {

double Micros(int64_t nanos);

// One step of a profiled run: an operation, or several that run as one.
struct ProfiledStep {
  std::string node, op;  // as in NodeStats
  std::string device;
  std::vector<std::string> fused;  // the nodes of a fused step
  int64_t start_nanos = 0;
  int64_t nanos = 0;      // from the start to the end
  int64_t own_nanos = 0;  // without the steps of a function that the step calls
  int64_t bytes = 0;      // of all inputs and outputs
};

// One run, with all its steps in the order in which they started.
struct ProfiledRun {
  std::vector<ProfiledStep> steps;
  int64_t nanos = 0;  // of the whole run

  int64_t StepNanos() const;  // the sum of the steps' own times
};

// The sums of several steps, for a table.
struct ProfileRow {
  std::string name;  // the op types or the node
  std::string op;
  int64_t count = 0;
  int64_t nanos = 0;
  int64_t bytes = 0;
};

enum class ProfileBy { kOp, kNode };

// Returns the run whose steps `metadata` has.
ProfiledRun MakeProfiledRun(const ramet::RunMetadata& metadata, int64_t run_nanos);

// Returns the rows of a run, those with the most time first.
std::vector<ProfileRow> ProfileRows(const ProfiledRun& run, ProfileBy by);

// Returns the rate at which a row's inputs and outputs pass, or 0 if it took no time.
double GigabytesPerSecond(const ProfileRow& row);

// Returns the steps as a trace that chrome://tracing and ui.perfetto.dev read.
nlohmann::json ChromeTrace(const ProfiledRun& run);

// Returns a picture of the times by name scopes.
std::string FlamePicture(const ProfiledRun& run, const std::string& title);

}  // namespace cli
