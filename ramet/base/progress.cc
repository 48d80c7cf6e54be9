#include "ramet/base/progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "ramet/base/strings.h"

namespace ramet {
namespace {

double SteadySeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void WriteToStderr(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

std::string Fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", decimals, value);
  return text;
}

// Formats a duration as "0:07", "12:34" or "1:02:03".
std::string Duration(double seconds) {
  int64_t s = static_cast<int64_t>(std::min(seconds, 1e9) + 0.5);
  auto two = [](int64_t n) { return StrCat(n < 10 ? "0" : "", n); };
  if (s < 3600) return StrCat(s / 60, ":", two(s % 60));
  return StrCat(s / 3600, ":", two(s / 60 % 60), ":", two(s % 60));
}

std::string Bar(double fraction) {
  constexpr size_t kWidth = 24;
  size_t full = static_cast<size_t>(fraction * kWidth);
  return StrCat("[", std::string(full, '='), full < kWidth ? ">" : "",
                std::string(kWidth - std::min(kWidth, full + 1), ' '), "]");
}

}  // namespace

Progress::Progress(std::string label, Options options)
    : label_(std::move(label)), options_(std::move(options)) {
  if (!options_.write) options_.write = WriteToStderr;
  if (!options_.clock) options_.clock = SteadySeconds;
  terminal_ = options_.terminal < 0 ? ::isatty(STDERR_FILENO) == 1 : options_.terminal > 0;
  interval_ = options_.interval > 0 ? options_.interval : terminal_ ? 0.1 : 10;
  start_ = options_.clock();
  next_ = start_ + interval_;
}

Progress::~Progress() { Finish(); }

std::string Progress::Line(double now) const {
  double seconds = now - start_;
  double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
  std::string line = label_;
  if (options_.total > 0) {
    double fraction = static_cast<double>(done_) / static_cast<double>(options_.total);
    fraction = std::clamp(fraction, 0.0, 1.0);
    if (terminal_) line += StrCat(" ", Bar(fraction));
    line += StrCat(" ", static_cast<int>(fraction * 100), "% ", done_, "/", options_.total);
  } else {
    line += StrCat(" ", done_);
  }
  line += StrCat(" ", Fixed(rate, rate < 10 ? 2 : 0), "/s ", Duration(seconds));
  if (options_.total > done_ && rate > 0 && !finished_) {
    line += StrCat(" left ", Duration(static_cast<double>(options_.total - done_) / rate));
  }
  return note_.empty() ? line : StrCat(line, " ", note_);
}

void Progress::Write(double now) {
  std::string line = Line(now);
  size_t width = line.size();
  if (terminal_) {
    // Blanks overwrite the rest of a longer previous line.
    line = StrCat("\r", line, std::string(width_ > width ? width_ - width : 0, ' '));
    if (finished_) line += '\n';
  } else {
    line += '\n';
  }
  width_ = width;
  dirty_ = false;
  options_.write(line);
}

void Progress::Update(int64_t done, std::string_view note) {
  if (finished_) return;
  done_ = done;
  note_ = note;
  dirty_ = true;
  double now = options_.clock();
  if (now < next_) return;
  next_ = now + interval_;
  Write(now);
}

void Progress::Finish() {
  if (finished_) return;
  finished_ = true;
  if (dirty_ || terminal_) Write(options_.clock());
}

}  // namespace ramet
