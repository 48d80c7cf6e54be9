#include "ramet/ops/parsing/example_parser.h"

namespace ramet {

std::string_view ExampleName(std::span<const std::string> names, int64_t i) {
  return names.empty() ? std::string_view("<unknown>") : names[static_cast<size_t>(i)];
}

std::string_view ListName(DType dtype) {
  if (dtype == kInt64) return "int64";
  return dtype == kFloat ? "float" : "bytes";
}

ExampleParser::ExampleParser(const FeatureSpecs& specs, FeatureColumn::Rank rank,
                             std::span<const std::string> names)
    : specs_(specs), rank_(rank), names_(names), last_seen_(specs.size(), -1) {
  columns_.reserve(static_cast<size_t>(specs.size()));
  for (const FeatureSpec& spec : specs) columns_.emplace_back(spec, rank);
}

StatusOr<std::vector<FeatureColumn>> ExampleParser::Parse(const FeatureSpecs& specs,
                                                          FeatureColumn::Rank rank,
                                                          std::span<const std::string> serialized,
                                                          std::span<const std::string> names,
                                                          Allocator* allocator) {
  ExampleParser parser(specs, rank, names);
  for (FeatureColumn& column : parser.columns_) {
    RAMET_RETURN_IF_ERROR(column.Start(std::ssize(serialized), allocator));
  }
  for (int64_t i = 0; i < std::ssize(serialized); ++i) {
    RAMET_RETURN_IF_ERROR(parser.ParseOne(i, serialized[i]));
  }
  return std::move(parser.columns_);
}

Status ExampleParser::ParseOne(int64_t example, std::string_view serialized) {
  if (!ReadEntries(serialized)) {
    return InvalidArgument("Could not parse example input, value: '", serialized, "'");
  }
  // The last entry of a key counts, as in protocol buffers.
  for (size_t i = entries_.size(); i-- > 0;) {
    const int column = specs_.Find(entries_[i].key);
    if (column == FeatureSpecs::kNone) continue;
    RAMET_ASSIGN_OR_RETURN(SerializedFeature feature, ReadFeature(entries_[i].feature));
    RAMET_RETURN_IF_ERROR(ReadColumn(example, column, feature));
  }
  return UseFallbacks(example);
}

bool ExampleParser::ReadEntries(std::string_view serialized) {
  entries_.clear();
  WireCursor example(serialized), map({});
  while (!example.AtEnd()) {
    if (example.Expect(WireCursor::BytesTag(1))) {
      if (!example.Message(&map) || !ReadMap(map)) return false;
    } else if (!example.SkipContent(example.Tag())) {
      return false;
    }
  }
  return true;
}

bool ExampleParser::ReadMap(WireCursor map) {
  WireCursor fields({});
  while (!map.AtEnd()) {
    if (!map.Expect(WireCursor::BytesTag(1)) || !map.Message(&fields)) return false;
    Entry entry;
    for (int i = 0; i < 2; ++i) {
      const uint32_t tag = fields.Tag();
      if (tag != WireCursor::BytesTag(1) && tag != WireCursor::BytesTag(2)) return false;
      if (!fields.Bytes(tag == WireCursor::BytesTag(1) ? &entry.key : &entry.feature)) return false;
    }
    if (!fields.AtEnd()) return false;
    entries_.push_back(entry);
  }
  return true;
}

Status ExampleParser::ReadColumn(int64_t example, int column, const SerializedFeature& feature) {
  const FeatureSpec& spec = specs_[column];
  const bool absent = feature.dtype == DType::kInvalid;
  if (absent && spec.dense()) return OkStatus();
  if (last_seen_[column] == example) return OkStatus();
  last_seen_[column] = example;
  if (absent) {
    columns_[column].UseFallback(example);
    return OkStatus();
  }
  if (feature.dtype != spec.dtype) return WrongType(example, spec, feature.dtype);
  size_t count = 0;
  switch (columns_[column].Read(example, feature, &count)) {
    case FeatureColumn::Outcome::kRead: return OkStatus();
    case FeatureColumn::Outcome::kMalformed: return Malformed(example, spec);
    default: return WrongCount(example, spec, count);
  }
}

Status ExampleParser::UseFallbacks(int64_t example) {
  for (int column = 0; column < specs_.size(); ++column) {
    if (last_seen_[column] == example) continue;
    const FeatureSpec& spec = specs_[column];
    if (spec.form == FeatureSpec::Form::kFixed && spec.fallback.num_elements() == 0) {
      return Missing(example, spec);
    }
    columns_[column].UseFallback(example);
  }
  return OkStatus();
}

std::string ExampleParser::Where(int64_t example, std::string_view key) const {
  if (rank_ == FeatureColumn::Rank::kOne) return StrCat("Key: ", key, ".  ");
  return StrCat("Name: ", ExampleName(names_, example), ", Key: ", key, ", Index: ", example,
                ".  ");
}

Status ExampleParser::WrongType(int64_t example, const FeatureSpec& spec, DType found) const {
  const std::string where = Where(example, spec.key);
  if (spec.dense()) {
    return InvalidArgument(where, "Data types don't match. Data type: ", DTypeName(found),
                           " but expected type: ", DTypeName(spec.dtype));
  }
  return InvalidArgument(where, "Data types don't match. Expected type: ", DTypeName(spec.dtype),
                         ", Actual type: ", DTypeName(found));
}

Status ExampleParser::Malformed(int64_t example, const FeatureSpec& spec) const {
  const std::string where = Where(example, spec.key);
  if (rank_ == FeatureColumn::Rank::kBatch) {
    return InvalidArgument(where, "Can't parse serialized Example.");
  }
  return InvalidArgument(where, "Can't parse serialized Example: Parsing ", ListName(spec.dtype),
                         "_list failed.");
}

Status ExampleParser::WrongCount(int64_t example, const FeatureSpec& spec, size_t count) const {
  const std::string where = Where(example, spec.key);
  const std::string_view list = ListName(spec.dtype);
  if (rank_ == FeatureColumn::Rank::kOne) {
    if (spec.form == FeatureSpec::Form::kFixed) {
      return InvalidArgument(where, "Can't parse serialized Example: Some ", list,
                             "_list slice was not parsed.");
    }
    return InvalidArgument("Error while parsing feature with key ", spec.key,
                           ": number of elements should be divisible by ", spec.stride(),
                           ", found ", count, " instead");
  }
  if (spec.form == FeatureSpec::Form::kFixed) {
    return InvalidArgument(where, "Number of ", list, " values != expected.  Values size: ", count,
                           " but output shape: ", spec.shape);
  }
  return InvalidArgument(where, "Number of ", list,
                         " values is not a multiple of stride length. Saw ", count,
                         " values but output shape is: ", spec.declared_shape());
}

Status ExampleParser::Missing(int64_t example, const FeatureSpec& spec) const {
  const std::string what = StrCat("Feature: ", spec.key, " (data type: ", DTypeName(spec.dtype),
                                  ") is required but could not be found.");
  if (rank_ == FeatureColumn::Rank::kOne) return InvalidArgument(what);
  return InvalidArgument("Name: ", ExampleName(names_, example), ", ", what);
}

}  // namespace ramet
