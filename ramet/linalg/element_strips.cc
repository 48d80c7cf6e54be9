#include "ramet/linalg/element_strips.h"

#include <cstring>

namespace ramet::linalg {
namespace {

using LinkKind = StripLink::Kind;

template <class T>
void Fill(char* to, const char* element, int64_t n) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * sizeof(T), &value, sizeof(T));
}

// Repeats an element n times.
void Repeat(char* to, const char* element, int64_t width, int64_t n) {
  switch (width) {
    case 1: std::memset(to, static_cast<unsigned char>(*element), n); break;
    case 4: Fill<uint32_t>(to, element, n); break;
    default: Fill<uint64_t>(to, element, n);
  }
}

// The bytes of a block's buffer. Strips use whole tiles of it. The distance between buffers is not
// a power of two, so that they use different sets of the cache.
int64_t BufferBytes(int64_t block_bytes) {
  return (block_bytes + 63) / 64 * 64 + 2 * StripTable::kMaxTileBytes + 64;
}

}  // namespace

int64_t ElementStrips::MemoryBytes(const ElementSections& sections, int64_t block_bytes) {
  return (sections.code().num_tiles() + sections.max_links()) * kTileBytes +
         sections.code().num_repeated() * BufferBytes(block_bytes);
}

ElementStrips::ElementStrips(const ElementProgram& program, const ElementSections& sections,
                             char* memory, int64_t block_bytes)
    : program_(program),
      sections_(sections),
      tiles_(memory),
      rest_(tiles_ + sections.code().num_tiles() * kTileBytes),
      repeated_(rest_ + sections.max_links() * kTileBytes),
      repeated_bytes_(BufferBytes(block_bytes)) {}

void ElementStrips::FillTile(int value, const char* element) {
  char* const tile = TileOf(value).data;
  const int64_t width = WidthOf(value);
  if (program_.type_of(value) == Type::kBool) {
    std::memset(tile, *element != 0 ? 0xff : 0, kTileBytes);
  } else {
    Repeat(tile, element, width, kTileBytes / width);
  }
}

void ElementStrips::Run(const ElementSections::Section& section, const Values& values,
                        int64_t size) {
  for (int i = section.first_link; i < section.end_link; ++i) {
    const StripLink& link = sections_.code().link(i);
    const int value = link.value();
    StripOperand& operand = operands_[link.operand];
    switch (link.kind) {
      case LinkKind::kTile: operand = TileOf(value); break;
      case LinkKind::kRead: operand = Find(value, values[value], size); break;
      case LinkKind::kWrite: operand = {values[value].data, -1}; break;
    }
  }
  const StripTable& table = Kernels().strips;
  const int64_t width = section.type == StripType::kFloat ? 4 : 8;
  const int64_t tile = table.tile_bytes / width;
  const int64_t whole = size / tile * tile;
  if (whole > 0) {
    table.run(sections_.code().step(section.first_step), operands_.data(),
              FindInputs(section, values), 0, whole * width);
  }
  if (whole < size) RunRest(section, whole, size - whole);
}

std::span<const char* const> ElementStrips::FindInputs(const ElementSections::Section& section,
                                                       const Values& values) {
  size_t count = 0;
  for (int i = section.first_link; i < section.end_link; ++i) {
    const StripLink& link = sections_.code().link(i);
    const int value = link.value();
    if (link.kind != LinkKind::kRead || value >= program_.num_inputs()) continue;
    const char* const data = operands_[link.operand].data;
    const bool as_wide = program_.type_of(value) != Type::kBool;
    if (as_wide && data == values[value].data) inputs_[count++] = data;
  }
  return {inputs_.data(), count};
}

StripOperand ElementStrips::Find(int value, const BlockValue& found, int64_t size) {
  if (found.size() == size) return {found.data, -1};
  const int64_t width = WidthOf(value);
  char* const to = repeated_ + sections_.code().repeated_of(value) * repeated_bytes_;
  if (found.size() == 1) {
    Repeat(to, found.data, width, kTileBytes / width);
    return {to, 0};
  }
  const int64_t rows = found.rows > 1 ? found.rows : size / found.columns;
  const int64_t columns = size / rows;
  for (int64_t r = 0; r < rows; ++r) {
    char* const row = to + r * columns * width;
    if (found.columns == 1) {
      Repeat(row, found.data + r * width, width, columns);
    } else {
      std::memcpy(row, found.data, columns * width);
    }
  }
  return {to, -1};
}

void ElementStrips::RunRest(const ElementSections::Section& section, int64_t begin, int64_t count) {
  std::array<char*, StripCode::kMaxLinks> results;
  const auto link = [&](int i) { return sections_.code().link(section.first_link + i); };
  for (int i = 0; i < section.num_links(); ++i) {
    StripOperand& operand = operands_[link(i).operand];
    if (operand.mask == 0) continue;
    const int64_t width = WidthOf(link(i).value());
    char* const elements = operand.data + begin * width;
    operand = {rest_ + i * kTileBytes, 0};
    results[i] = elements;
    if (link(i).kind == LinkKind::kRead) std::memcpy(operand.data, elements, count * width);
  }
  Kernels().strips.run(sections_.code().step(section.first_step), operands_.data(), {}, 0, 1);
  for (int i = 0; i < section.num_links(); ++i) {
    if (link(i).kind != LinkKind::kWrite) continue;
    std::memcpy(results[i], operands_[link(i).operand].data, count * WidthOf(link(i).value()));
  }
}

}  // namespace ramet::linalg
