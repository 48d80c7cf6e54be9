#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options.h"
#include "report.h"

namespace example {

// The reports of the sides, in order.
struct Outcome {
  std::vector<Report> trained, followed_memory, followed_files;
};

// Formats a number with four decimals: "0.8837".
std::string Fixed(double value);

// Checks that all sides classified the same number of images correctly after each update, and that
// a full run has reached its accuracy. With `may_round`, the numbers may differ by the images for
// which rounding decides.
std::optional<Failure> Compare(const Outcome& outcome, bool may_round);

// Plots the accuracies over the steps.
std::optional<Failure> WritePlot(const std::string& path, const Outcome& outcome);

// Prints the accuracy and the cost of both ways of updating the copies.
void PrintSummary(const Options& options, const Outcome& outcome, bool fresh_folder,
                  const std::string& elapsed);

}  // namespace example
