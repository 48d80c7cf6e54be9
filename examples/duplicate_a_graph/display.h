#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace example {

// A Display shows how far several sides of one job are: on a terminal one moving line a side,
// elsewhere a plain line a side now and then. Writes to stdout.
class Display {
 public:
  // `names` of the sides; each has `total` steps to do.
  Display(std::vector<std::string> names, int64_t total);
  ~Display() { Finish(); }
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  // Side `side` has done `done` steps; `note` stands behind them.
  void Update(size_t side, int64_t done, const std::string& note);
  // A line of text above the moving ones.
  void Print(const std::string& text);
  // Leaves the lines as they are; nothing moves after that.
  void Finish();
  // "0:07", since the start.
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
