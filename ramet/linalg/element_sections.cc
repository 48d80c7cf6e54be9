#include "ramet/linalg/element_sections.h"

#include <algorithm>
#include <optional>

namespace ramet::linalg {
namespace {

using Kind = ElementInstruction::Kind;

// Returns the type of a strip that may start with an instruction. Instructions on bools alone join
// strips of every type but start none.
std::optional<StripType> StripTypeOf(const ElementInstruction& instruction) {
  const Type type = instruction.kind == Kind::kCast ? instruction.result : instruction.type;
  if (type == Type::kFloat) return StripType::kFloat;
  if (type == Type::kDouble) return StripType::kDouble;
  return std::nullopt;
}

}  // namespace

ElementSections::ElementSections(const ElementValues& values, bool streamed)
    : code_(values.program) {
  const int n = static_cast<int>(values.program.instructions().size());
  for (int i = values.NextComputed(-1, n); i < n;) {
    const std::optional<StripType> type = StripTypeOf(values.program.instructions()[i]);
    const int end = type ? EndOfStrip(values, i, *type) : i;
    if (values.NextComputed(i, end) < end) {
      AddStrip(values, i, end, *type, streamed);
      i = values.NextComputed(end - 1, n);
    } else {
      AddInstruction(i);
      i = values.NextComputed(i, n);
    }
  }
}

int ElementSections::max_links() const {
  int most = 0;
  for (const Section& section : sections()) {
    if (section.is_strip) most = std::max(most, section.num_links());
  }
  return most;
}

int ElementSections::EndOfStrip(const ElementValues& values, int begin, StripType type) const {
  const int n = static_cast<int>(values.program.instructions().size());
  int end = begin;
  for (int i = begin; i < n; i = values.NextComputed(i, n)) {
    if (!StripCompiler::MayJoin(values, i, type)) break;
    end = i + 1;
  }
  return end;
}

void ElementSections::AddInstruction(int i) {
  sections_[num_sections_++] = {
      static_cast<int16_t>(i), static_cast<int16_t>(i + 1), false, StripType::kFloat, 0, 0, 0};
}

void ElementSections::AddStrip(const ElementValues& values, int begin, int end, StripType type,
                               bool streamed) {
  Section& section = sections_[num_sections_++];
  section = {static_cast<int16_t>(begin),
             static_cast<int16_t>(end),
             true,
             type,
             static_cast<int16_t>(code_.num_steps()),
             static_cast<int16_t>(code_.num_links()),
             0};
  StripCompiler(values, begin, end, type, streamed, &code_).Run();
  section.end_link = static_cast<int16_t>(code_.num_links());
}

}  // namespace ramet::linalg
