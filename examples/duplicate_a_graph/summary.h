#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options.h"
#include "report.h"

namespace example {

// What the sides have told, in order.
struct Outcome {
  std::vector<Report> trained, followed_memory, followed_files;
};

// "0.8837".
std::string Fixed(double value);

// Whether all sides found the same, to the last image, and a full run is good enough.
std::optional<Failure> Compare(const Outcome& outcome);

// The accuracies over the steps.
std::optional<Failure> WritePlot(const std::string& path, const Outcome& outcome);

// To stdout: how good the copies are, and what each way of updating them costs.
void PrintSummary(const Options& options, const Outcome& outcome, bool fresh_folder,
                  const std::string& elapsed);

}  // namespace example
