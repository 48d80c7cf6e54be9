#include "ramet/ops/parsing/sequence_parser.h"

#include <algorithm>

#include "ramet/ops/parsing/example_parser.h"

namespace ramet {

SequenceParser::SequenceParser(const SequenceSpecs& specs, Dialect dialect, Rank rank,
                               std::span<const std::string> names)
    : specs_(specs),
      dialect_(dialect),
      names_(names),
      most_values_(specs.context.size()),
      context_problems_(specs.context.size()),
      list_problems_(specs.lists.size()) {
  columns_.context.reserve(static_cast<size_t>(specs.context.size()));
  columns_.lists.reserve(static_cast<size_t>(specs.lists.size()));
  for (const FeatureSpec& spec : specs.context) {
    most_values_[columns_.context.size()] =
        spec.dense() ? static_cast<size_t>(spec.fallback.num_elements()) : 0;
    columns_.context.emplace_back(spec, rank);
  }
  for (const FeatureSpec& spec : specs.lists) columns_.lists.emplace_back(spec, rank);
}

StatusOr<SequenceColumns> SequenceParser::Parse(const SequenceSpecs& specs, Dialect dialect,
                                                Rank rank, std::span<const std::string> serialized,
                                                std::span<const std::string> names,
                                                Allocator* allocator) {
  SequenceParser parser(specs, dialect, rank, names);
  for (FeatureColumn& column : parser.columns_.context) {
    RAMET_RETURN_IF_ERROR(column.Start(std::ssize(serialized), allocator));
  }
  for (int64_t i = 0; i < std::ssize(serialized); ++i) {
    RAMET_RETURN_IF_ERROR(parser.ParseOne(i, serialized[i]));
  }
  RAMET_RETURN_IF_ERROR(parser.CheckContext());
  RAMET_RETURN_IF_ERROR(parser.CheckLists());
  return std::move(parser.columns_);
}

Status SequenceParser::ParseOne(int64_t example, std::string_view serialized) {
  context_.assign(columns_.context.size(), {});
  lists_.assign(columns_.lists.size(), {});
  if (!FindFeatures(serialized)) {
    if (single()) {
      return InvalidArgument("Could not parse example input, value: '", serialized, "'");
    }
    return InvalidArgument("Invalid protocol message input, example id: ", name(example));
  }
  for (int i = 0; i < specs_.context.size(); ++i) {
    RAMET_RETURN_IF_ERROR(ReadContext(example, i));
  }
  for (int i = 0; i < specs_.lists.size(); ++i) RAMET_RETURN_IF_ERROR(ReadList(example, i));
  return OkStatus();
}

bool SequenceParser::FindFeatures(std::string_view serialized) {
  WireCursor example(serialized), map({});
  while (!example.AtEnd()) {
    if (example.Expect(WireCursor::BytesTag(1))) {
      if (!example.Message(&map) || !FindIn(map, specs_.context, &context_)) return false;
    } else if (example.Expect(WireCursor::BytesTag(2))) {
      if (!example.Message(&map) || !FindIn(map, specs_.lists, &lists_)) return false;
    } else {
      // Protocol buffers themselves, which TensorFlow uses for one example, are stricter.
      const uint32_t tag = example.Tag();
      if (single() && tag == 0) return false;
      std::string_view skipped;
      const bool strict = single() && (tag & 7) == 2;
      if (!(strict ? example.Bytes(&skipped) : example.SkipContent(tag))) return false;
    }
  }
  return true;
}

bool SequenceParser::FindIn(WireCursor map, const FeatureSpecs& specs, std::vector<Found>* found) {
  WireCursor entry({});
  while (!map.AtEnd()) {
    std::string_view key, value;
    if (!map.Expect(WireCursor::BytesTag(1)) || !map.Message(&entry)) return false;
    if (!entry.Expect(WireCursor::BytesTag(1)) || !entry.Bytes(&key)) return false;
    if (!entry.Expect(WireCursor::BytesTag(2)) || !entry.Bytes(&value)) return false;
    if (!entry.AtEnd()) return false;
    const int i = specs.Find(key);
    if (i != FeatureSpecs::kNone) (*found)[static_cast<size_t>(i)] = {true, value};
  }
  return true;
}

Status SequenceParser::Later(std::vector<Status>& problems, int i, Status problem) {
  if (single()) return problem;
  if (problems[i].ok()) problems[i] = std::move(problem);
  return OkStatus();
}

Status SequenceParser::ReadContext(int64_t example, int i) {
  const FeatureSpec& spec = specs_.context[i];
  FeatureColumn& column = columns_.context[i];
  const Found& found = context_[i];
  if (!found.present) {
    if (!spec.dense() || spec.fallback.num_elements() > 0) {
      column.UseFallback(example);
      return OkStatus();
    }
    return Later(context_problems_, i, MissingContext(example, spec));
  }
  const auto feature = ReadFeature(found.bytes);
  const bool absent = feature.ok() && feature->dtype == DType::kInvalid;
  if (absent && !spec.dense()) {
    column.UseFallback(example);
    return OkStatus();
  }
  if (absent && !single()) {
    return Later(context_problems_, i, WrongContextCount(example, spec, 0));
  }
  if (!feature.ok() || feature->dtype != spec.dtype) return WrongContextType(example, spec);
  size_t count = 0;
  const auto outcome = column.Read(example, *feature, &count);
  if (outcome == FeatureColumn::Outcome::kMalformed) return WrongContextType(example, spec);
  most_values_[i] = std::max(most_values_[i], count);
  if (outcome == FeatureColumn::Outcome::kRead) return OkStatus();
  return Later(context_problems_, i, WrongContextCount(example, spec, count));
}

Status SequenceParser::ReadList(int64_t example, int i) {
  const FeatureSpec& spec = specs_.lists[i];
  const Found& found = lists_[i];
  if (!found.present && spec.dense() && !specs_.may_be_missing[i]) {
    RAMET_RETURN_IF_ERROR(Later(list_problems_, i, MissingList(example, spec)));
  }
  WireCursor list(found.bytes);
  for (int64_t row = 0; !list.AtEnd(); ++row) {
    std::string_view feature;
    if (!list.Expect(WireCursor::BytesTag(1)) || !list.Bytes(&feature) ||
        (!single() && !ReadFeature(feature).ok())) {
      return InvalidArgument("Error in sequence feature ", spec.key, " in example ", name(example));
    }
    RAMET_RETURN_IF_ERROR(ReadRow(example, i, row, feature));
  }
  columns_.lists[i].EndExample();
  return OkStatus();
}

Status SequenceParser::ReadRow(int64_t example, int i, int64_t row, std::string_view bytes) {
  const FeatureSpec& spec = specs_.lists[i];
  const auto feature = ReadFeature(bytes);
  const bool absent = feature.ok() && feature->dtype == DType::kInvalid;
  size_t count = 0;
  if (absent && !(spec.dense() && single())) {
    columns_.lists[i].AddEmptyRow();
  } else if (!feature.ok() || feature->dtype != spec.dtype ||
             !columns_.lists[i].ReadRow(*feature, &count)) {
    return WrongListType(example, spec, row);
  }
  if (!spec.dense() || count == static_cast<size_t>(spec.stride())) return OkStatus();
  return Later(list_problems_, i, WrongCount(example, spec, row, count));
}

Status SequenceParser::CheckContext() const {
  for (int i = 0; i < specs_.context.size(); ++i) {
    const FeatureSpec& spec = specs_.context[i];
    if (single() || !spec.dense()) continue;
    if (most_values_[i] != static_cast<size_t>(spec.stride())) {
      return InvalidArgument("Inconsistent max number of elements for feature ", spec.key,
                             ": expected ", spec.stride(), ", but found ", most_values_[i]);
    }
    RAMET_RETURN_IF_ERROR(context_problems_[i]);
  }
  return OkStatus();
}

Status SequenceParser::CheckLists() const {
  for (int i = 0; i < specs_.lists.size(); ++i) {
    const FeatureSpec& spec = specs_.lists[i];
    if (single() || !spec.dense()) continue;
    const int64_t most = columns_.lists[i].most_values(), stride = spec.stride();
    if (stride > 0 && most % stride != 0) {
      return InvalidArgument("Feature list '", spec.key,
                             "' has an unexpected number of values.  Total values size: ", most,
                             " is not consistent with output shape: ",
                             Shape{Shape::kUnknownDim}.Concatenate(spec.shape));
    }
    RAMET_RETURN_IF_ERROR(list_problems_[i]);
  }
  return OkStatus();
}

std::string_view SequenceParser::name(int64_t example) const {
  if (single() && names_.empty()) return "";
  return ExampleName(names_, example);
}

Status SequenceParser::WrongContextType(int64_t example, const FeatureSpec& spec) const {
  return InvalidArgument("Name: ", name(example), ", Context feature: ", spec.key,
                         ".  Data types don't match. Expected type: ", DTypeName(spec.dtype));
}

Status SequenceParser::WrongListType(int64_t example, const FeatureSpec& spec, int64_t row) const {
  const bool upper = single() && !spec.dense();
  return InvalidArgument(
      "Name: ", name(example), upper ? ", Feature List: " : ", Feature list: ", spec.key,
      ", Index: ", row, ".  Data types don't match. Expected type: ", DTypeName(spec.dtype));
}

Status SequenceParser::WrongContextCount(int64_t example, const FeatureSpec& spec,
                                         size_t count) const {
  if (single()) return WrongCount(example, spec, 0, count);
  return InvalidArgument("Unexpected number of elements in example ", name(example));
}

Status SequenceParser::WrongCount(int64_t example, const FeatureSpec& spec, int64_t row,
                                  size_t count) const {
  const std::string list = single() ? StrCat(ListName(spec.dtype), " ") : "";
  return InvalidArgument("Name: ", name(example), ", Key: ", spec.key, ", Index: ", row,
                         ".  Number of ", list, "values != expected.  values size: ", count,
                         " but output shape: ", spec.shape);
}

Status SequenceParser::MissingContext(int64_t example, const FeatureSpec& spec) const {
  if (single()) {
    return InvalidArgument("Name: ", name(example), ", Context feature '", spec.key,
                           "' is required but could not be found.");
  }
  return InvalidArgument("Feature: ", spec.key, " (data type: ", DTypeName(spec.dtype),
                         ") is required but could not be found.");
}

Status SequenceParser::MissingList(int64_t example, const FeatureSpec& spec) const {
  return InvalidArgument("Name: ", name(example), ", Feature list '", spec.key,
                         "' is required but could not be found.  Did you mean to include it in "
                         "feature_list_dense_missing_assumed_empty or "
                         "feature_list_dense_defaults?");
}

}  // namespace ramet
