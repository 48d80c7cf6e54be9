#include <algorithm>
#include <unordered_set>
#include <vector>

#include "ramet/base/utf8.h"
#include "ramet/op/op.h"
#include "ramet/ops/logging/summary_op.h"
#include "ramet/ops/logging/summary_proto.h"

namespace ramet {
namespace {

bool IsMessage(std::string_view bytes) {
  WireField field;
  while (!bytes.empty()) {
    if (!TakeField(&bytes, &field)) return false;
  }
  return true;
}

constexpr uint32_t Number(SummaryField field) { return static_cast<uint32_t>(field); }

bool IsText(const WireField& field) {
  return field.Is(Number(SummaryField::kTag)) || field.Is(Number(SummaryField::kNodeName));
}

bool IsNested(const WireField& field) {
  return field.Is(Number(SummaryField::kImage)) || field.Is(Number(SummaryField::kHistogram)) ||
         field.Is(Number(SummaryField::kAudio)) || field.Is(Number(SummaryField::kTensor)) ||
         field.Is(Number(SummaryField::kMetadata));
}

// The fields of one Summary.Value; the last of several tags counts.
struct SummaryValue {
  std::string_view tag;
  std::vector<WireField> fields;
};

bool ReadValue(std::string_view bytes, SummaryValue* value) {
  WireField field;
  while (!bytes.empty()) {
    if (!TakeField(&bytes, &field)) return false;
    if (IsText(field) && !IsUtf8(field.bytes)) return false;
    if (IsNested(field) && !IsMessage(field.bytes)) return false;
    if (field.Is(Number(SummaryField::kTag))) {
      value->tag = field.bytes;
    } else {
      value->fields.push_back(field);
    }
  }
  std::ranges::stable_sort(value->fields, {}, &WireField::number);
  return true;
}

std::string Serialize(const SummaryValue& value) {
  std::string bytes;
  AppendNonEmpty(&bytes, Number(SummaryField::kTag), value.tag);
  for (const WireField& field : value.fields) bytes.append(field.whole);
  return bytes;
}

// Appends the values of serialized summaries, and checks that no tag occurs twice.
class Merger {
 public:
  Status Add(std::string_view bytes) {
    WireField field;
    while (!bytes.empty()) {
      if (!TakeField(&bytes, &field)) return Unreadable();
      if (!field.Is(1)) continue;
      SummaryValue value;
      if (!ReadValue(field.bytes, &value)) return Unreadable();
      if (!value.tag.empty() && !tags_.insert(value.tag).second) {
        return InvalidArgument("Duplicate tag ", value.tag, " found in summary inputs ");
      }
      AppendValue(&merged_, Serialize(value));
    }
    return OkStatus();
  }

  std::string Take() { return std::move(merged_); }

 private:
  static Status Unreadable() {
    return InvalidArgument("Could not parse one of the summary inputs");
  }

  std::unordered_set<std::string_view> tags_;
  std::string merged_;
};

Status MergeSummaries(KernelContext& c) {
  Merger merger;
  for (int i = 0; i < c.num_inputs(); ++i) {
    for (const std::string& summary : c.input(i).flat<std::string>()) {
      RAMET_RETURN_IF_ERROR(merger.Add(summary));
    }
  }
  return SetSummary(c, merger.Take());
}

}  // namespace

RAMET_OP("MergeSummary")
    .Input("inputs: N * string")
    .Output("summary: string")
    .Attr("N: int >= 1")
    .Doc(
        "Returns a serialized Summary with the values of all serialized summaries in the inputs. "
        "Error: a tag occurs twice (\"Duplicate tag TAG found in summary inputs \"); an input is "
        "malformed (\"Could not parse one of the summary inputs\").")
    .HostMemory({"inputs", "summary"})
    .Shape(ScalarShape)
    .NotDifferentiable()
    .CpuKernel(MergeSummaries);

}  // namespace ramet
