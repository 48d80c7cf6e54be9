#pragma once

#include <array>
#include <span>

#include "ramet/linalg/strip_compiler.h"

// Internal to linalg.

namespace ramet::linalg {

// An ElementSections divides a program into sections for one run. A section is either a strip, a
// sequence of instructions on values with an element for each element of a block, which is compiled
// to threaded code (strip_code.h), or one instruction that a loop applies to the block.
class ElementSections {
 public:
  struct Section {
    int16_t begin, end;  // instructions
    bool is_strip;       // the rest is for strips
    StripType type;
    int16_t first_step, first_link, end_link;  // in code()

    int num_links() const { return end_link - first_link; }
  };

  // With `streamed`, strips store results past the caches.
  ElementSections(const ElementValues& values, bool streamed);

  std::span<const Section> sections() const { return std::span(sections_).first(num_sections_); }
  const StripCode& code() const { return code_; }
  // Reports whether the program is one strip, which needs no buffers for blocks.
  bool is_one_strip() const {
    return num_sections_ == 1 && sections_[0].is_strip && code_.num_repeated() == 0;
  }
  // Returns the largest number of links of a strip.
  int max_links() const;

 private:
  // Returns where a strip ends that starts with instruction `begin`.
  int EndOfStrip(const ElementValues& values, int begin, StripType type) const;
  void AddStrip(const ElementValues& values, int begin, int end, StripType type, bool streamed);
  void AddInstruction(int i);

  int num_sections_ = 0;
  std::array<Section, ElementProgram::kMaxInstructions> sections_;
  StripCode code_;
};

}  // namespace ramet::linalg
