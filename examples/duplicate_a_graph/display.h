#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace example {

// A Display shows the progress of several processes ("sides") on stdout. On a terminal, it updates
// one line for each side. Elsewhere, it prints a plain line for a side from time to time.
class Display {
 public:
  // Each of the sides `names` has `total` steps to do.
  Display(std::vector<std::string> names, int64_t total);
  ~Display() { Finish(); }
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  // Shows that a side has done `done` steps, followed by `note`.
  void Update(size_t side, int64_t done, const std::string& note);
  // Prints a line of text above the progress lines.
  void Print(const std::string& text);
  // Stops updating the lines.
  void Finish();
  // Returns the time since the start, such as "0:07".
  std::string Elapsed() const;

 private:
  struct Side {
    std::string name;
    int64_t done = 0;
    std::string note = {};
    int64_t next_line = 0;
  };
  std::string Line(const Side& side, size_t width) const;
  void Draw();

  std::vector<Side> sides_;
  int64_t total_;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace example
