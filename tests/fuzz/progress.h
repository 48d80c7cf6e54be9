#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace ramet::fuzz {

// Counts how far the cases about one op came.
struct OpCounts {
  char name[56];
  std::atomic<uint32_t> drawn, built, ran, differentiated;
};

// State that a child shares with its parent. It outlives a crash of the child.
struct SharedState {
  static constexpr size_t kMaxText = size_t{4} << 20;
  static constexpr size_t kMaxOps = 2048;

  std::atomic<uint64_t> next_case;  // the first that has not begun
  std::atomic<uint64_t> finished;   // how many ended without a finding or with one that was caught
  std::atomic<int64_t> case_cpu_nanos;  // the child's processor time when the case began
  std::atomic<int64_t> case_wall_nanos;
  std::atomic<bool> in_case;
  std::atomic<bool> stop;
  std::atomic<uint64_t> built, ran, differentiated, cloned, exported;
  char phase[64];
  char subject[64];
  std::atomic<uint32_t> text_size;
  char text[kMaxText];
  std::atomic<uint32_t> finding_size;
  char finding[4096];
  std::atomic<uint32_t> num_ops;
  OpCounts ops[kMaxOps];
};

// A Progress records what a case is about to do. For one thread.
class Progress {
 public:
  // `strict`: announced shapes that values do not have are findings, too.
  Progress(SharedState* shared, bool verbose, bool strict)
      : shared_(shared), verbose_(verbose), strict_(strict) {}

  // Names the op or the kind of graph that the case is about.
  void Subject(std::string_view subject);
  // Keeps the graph as text, so that a crash can be replayed by hand.
  void Text(std::string_view text);
  void Phase(std::string_view phase);
  // Records something that must not happen and did not end the process.
  void Finding(std::string_view what);
  void Note(std::string_view what);

  void Built();
  void Ran();
  void Differentiated();
  void Cloned() { ++shared_->cloned; }
  void Exported() { ++shared_->exported; }
  bool verbose() const { return verbose_; }
  bool strict() const { return strict_; }

 private:
  SharedState* shared_;
  bool verbose_, strict_;
  OpCounts* counts_ = nullptr;
};

}  // namespace ramet::fuzz
