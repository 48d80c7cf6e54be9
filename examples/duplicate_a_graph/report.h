#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <string>
#include <variant>

#include "options.h"

// The messages of the trainer and the followers to the process that started them. Each message is a
// line on stdout.
namespace example {

// A time interval, in nanoseconds since 1970.
struct Span {
  int64_t begin = 0;
  int64_t end = 0;
};
int64_t NowNanos();

// The state of a side after an update of the copy.
struct Report {
  int64_t step = 0;
  // The number of test images that are classified correctly, and of all of them.
  int64_t correct = 0;
  int64_t images = 0;
  // The number of test images whose two likeliest classes are so close that rounding decides.
  int64_t close = 0;
  // For a trainer, the loss of the last batch. For a follower, the largest change of its outputs on
  // the test batch since the previous update; -1 after the first one.
  double change = 0;
  // For a trainer, the times it spent publishing in shared memory and saving a checkpoint.
  Span published = {};
  Span saved = {};
  // For a follower, the time from when it began to wait for this update until it could use it.
  Span waited = {};

  double accuracy() const { return images ? static_cast<double>(correct) / images : 0; }
};

// The reason why a side failed.
struct Failure {
  ExitCode code = kFailed;
  std::string message;
};

// Prints a message.
void Tell(const Report& report);
void Tell(const Failure& failure);
// Parses a line. If it is not a message, returns a Failure that quotes it.
std::variant<Report, Failure> ParseMessage(const std::string& line);

// Compares the outputs for all test images with their labels, one row for each image, and sets
// `correct`, `images` and `close` of the report.
void CountCorrect(const ramet::Tensor& outputs, const ramet::Tensor& labels, Report* report);

}  // namespace example
