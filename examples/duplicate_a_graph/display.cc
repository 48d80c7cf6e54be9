#include "display.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace example {
namespace {

constexpr int kPlainLines = 10;

bool IsTerminal() {
  const char* term = std::getenv("TERM");
  return isatty(STDOUT_FILENO) && term != nullptr && std::string_view(term) != "dumb";
}

size_t TerminalWidth() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string Padded(const std::string& text, size_t width) {
  return text + std::string(width - std::min(width, text.size()), ' ');
}

std::string Right(int64_t number, size_t width) {
  std::string digits = std::to_string(number);
  return std::string(width - std::min(width, digits.size()), ' ') + digits;
}

std::string Bar(int64_t done, int64_t total, size_t width) {
  size_t full = static_cast<size_t>(done * static_cast<int64_t>(width) / total);
  std::string bar(width, ' ');
  std::fill_n(bar.begin(), full, '=');
  if (full < width) bar[full] = '>';
  return "[" + bar + "]";
}

}  // namespace

Display::Display(std::vector<std::string> names, int64_t total)
    : total_(total), terminal_(IsTerminal()) {
  for (std::string& name : names) sides_.push_back({.name = std::move(name)});
  if (terminal_) Draw();
}

void Display::Update(size_t side, int64_t done, const std::string& note) {
  Side& s = sides_[side];
  s.done = done;
  s.note = note;
  if (terminal_) {
    Draw();
  } else if (done >= s.next_line || done >= total_) {
    const int64_t every = std::max<int64_t>(total_ / kPlainLines, 1);
    s.next_line = (done / every + 1) * every;
    Print(Line(s, 0));
  }
}

void Display::Print(const std::string& text) {
  if (drawn_) std::fputs("\r\033[J", stdout);
  std::printf("%s\n", text.c_str());
  if (drawn_) Draw();
  std::fflush(stdout);
}

void Display::Finish() {
  if (drawn_) Draw();  // overwrites the ^C that the terminal may have printed
  if (drawn_) std::fputs(std::string(sides_.size(), '\n').c_str(), stdout);
  drawn_ = false;
  std::fflush(stdout);
}

std::string Display::Elapsed() const {
  auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start_)
          .count();
  char text[32];
  std::snprintf(text, sizeof(text), "%d:%02d", static_cast<int>(seconds / 60),
                static_cast<int>(seconds % 60));
  return text;
}

// Returns a line with a progress bar that fits in `width` columns. If `width` is 0, returns a line
// of any length without a bar.
std::string Display::Line(const Side& side, size_t width) const {
  size_t name_width = 0;
  for (const Side& s : sides_) name_width = std::max(name_width, s.name.size());
  const std::string digits = std::to_string(total_);
  const std::string name = Padded(side.name, name_width) + "  ";
  const std::string rest = Right(side.done, digits.size()) + "/" + digits + "  " + side.note;
  if (width == 0) return name + "step " + rest;
  const size_t taken = name.size() + Padded(rest, digits.size() * 2 + 33).size() + 5;
  const size_t bar = width > taken ? std::min<size_t>(width - taken, 30) : 0;
  std::string line = name + (bar >= 5 ? Bar(side.done, total_, bar) + "  " : "") + rest;
  return line.substr(0, width - 1);
}

// Draws all lines and leaves the cursor at the start of the first one.
void Display::Draw() {
  const size_t width = TerminalWidth();
  std::string text;
  for (const Side& side : sides_) text += "\r" + Line(side, width) + "\033[K\n";
  text += "\033[" + std::to_string(sides_.size()) + "A";
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  drawn_ = true;
}

}  // namespace example
