#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "ramet/base/export.h"

namespace ramet {

// A Progress shows how far a long job has come: on a terminal as a line that is updated in place,
// elsewhere as a plain line at intervals. Not thread-safe. Nothing is written after Finish; the
// destructor calls it.
//
//   Progress progress("training", {.total = 10000});
//   for (int i = 1; i <= 10000; ++i) { ...; progress.Update(i, StrCat("loss ", loss)); }
class RAMET_EXPORT Progress {
 public:
  struct Options {
    // The amount of work. 0 means unknown, which shows no bar and no percentage.
    int64_t total = 0;
    // Writes the text. Empty means to stderr.
    std::function<void(std::string_view)> write = nullptr;
    // 1 if the output is a terminal, 0 if not, -1 to ask the system about stderr.
    int terminal = -1;
    // Seconds between two lines. 0 means 0.1 on a terminal and 10 elsewhere.
    double interval = 0;
    // Returns monotonic time in seconds. Empty means the steady clock.
    std::function<double()> clock = nullptr;
  };
  Progress(std::string label, Options options);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Reports that `done` of the total is done. `note` is shown at the end of the line. Cheap if it
  // is too early for another line.
  void Update(int64_t done, std::string_view note = "");
  // Writes the final state and ends the line.
  void Finish();

 private:
  void Write(double now);
  std::string Line(double now) const;

  std::string label_;
  Options options_;
  bool terminal_;
  double interval_;
  double start_;
  double next_;
  int64_t done_ = 0;
  std::string note_;
  size_t width_ = 0;
  bool dirty_ = true;
  bool finished_ = false;
};

}  // namespace ramet
