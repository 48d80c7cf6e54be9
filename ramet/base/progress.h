#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "ramet/base/export.h"

namespace ramet {

// A Progress shows how far a long job is: on a terminal one line that moves, elsewhere a plain line
// now and then. One thread at a time. Nothing is written after Finish; the destructor finishes.
//
//   Progress progress("training", {.total = 10000});
//   for (int i = 1; i <= 10000; ++i) { ...; progress.Update(i, StrCat("loss ", loss)); }
class RAMET_EXPORT Progress {
 public:
  struct Options {
    // 0: unknown; then no bar and no percentage.
    int64_t total = 0;
    // Where the text goes; empty: stderr.
    std::function<void(std::string_view)> write = nullptr;
    // Whether it is a terminal; -1: ask the system about stderr, 0: no, 1: yes.
    int terminal = -1;
    // The time between two lines, in seconds; 0: 0.1 on a terminal, 10 elsewhere.
    double interval = 0;
    // Seconds from any start on, never going back; empty: the steady clock.
    std::function<double()> clock = nullptr;
  };
  Progress(std::string label, Options options);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` of the total is done; `note` stands at the end of the line. Cheap when it is too early
  // for another line.
  void Update(int64_t done, std::string_view note = "");
  // Writes the last state, and ends the line.
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
