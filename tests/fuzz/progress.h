#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace ramet::fuzz {

// Counts how far the cases of one op have come.
struct OpCounts {
  char name[56];
  std::atomic<uint32_t> drawn, built, ran, differentiated;
};

// State that a child shares with its parent. It outlives a crash of the child.
struct SharedState {
  static constexpr size_t kMaxText = size_t{4} << 20;
  static constexpr size_t kMaxOps = 2048;

  std::atomic<uint64_t> next_case;      // the first that has not started
  std::atomic<uint64_t> finished;       // cases that ended without a crash
  std::atomic<int64_t> case_cpu_nanos;  // the child's CPU time at the start of the case
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
  // With `strict`, values that do not match the inferred shape are also findings.
  Progress(SharedState* shared, bool verbose, bool strict)
      : shared_(shared), verbose_(verbose), strict_(strict) {}

  // Names the op or the kind of graph under test.
  void Subject(std::string_view subject);
  // Stores the graph as text, so that a crash can be replayed by hand.
  void Text(std::string_view text);
  void Phase(std::string_view phase);
  // Records a finding that did not end the process.
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
