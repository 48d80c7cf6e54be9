#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <string>
#include <variant>

#include "options.h"

// What trainer and followers tell the process that started them: one line each on their stdout.
namespace example {

// From when to when, in nanoseconds since 1970.
struct Span {
  int64_t begin = 0;
  int64_t end = 0;
};
int64_t NowNanos();

// Where a side is at an update of the copy.
struct Report {
  int64_t step = 0;
  // Of the test images.
  int64_t correct = 0;
  int64_t images = 0;
  // Trainer: the loss of the last batch. Follower: how far its outputs on the test batch have moved
  // since the update before (the largest difference); -1 at the first one.
  double change = 0;
  // Trainer: how long publishing in shared memory and saving a checkpoint kept it from training.
  Span published = {};
  Span saved = {};
  // Follower: since when it waited for this update, and when it could be used.
  Span waited = {};

  double accuracy() const { return images ? static_cast<double>(correct) / images : 0; }
};

// Why a side gave up.
struct Failure {
  ExitCode code = kFailed;
  std::string message;
};

void Tell(const Report& report);
void Tell(const Failure& failure);
// The report or failure of a line; a Failure that quotes the line when it is neither.
std::variant<Report, Failure> ParseMessage(const std::string& line);

// What both sides measure: the outputs for all test images against their labels, one row each.
void CountCorrect(const ramet::Tensor& outputs, const ramet::Tensor& labels, Report* report);

// Throws what ended in an error, as StatusOr::value() does.
inline void Check(const ramet::Status& status) {
  if (!status.ok()) throw ramet::BadStatusAccess(status);
}

}  // namespace example
