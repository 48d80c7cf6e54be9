#include "ramet/replica/files/partitions.h"

#include <set>

#include "ramet/base/strings.h"
#include "ramet/format/tensor_slice.h"
#include "ramet/proto/meta_graph.pb.h"
#include "ramet/proto/variable.pb.h"

namespace ramet::files {
namespace {

// Returns the full shape with the part's offsets and shape, such as "8 2 0,4:0,2".
std::string ShapeAndSliceOf(const SaveSliceInfoDef& info) {
  std::vector<std::string> slices;
  for (int i = 0; i < info.var_offset_size(); ++i) {
    slices.push_back(StrCat(info.var_offset(i), ",", info.var_shape(i)));
  }
  return StrCat(StrJoin(info.full_shape(), " "), " ", StrJoin(slices, ":"));
}

// Fills `*part`. Returns false if the variable's slice information is inconsistent.
bool Take(const VariableDef& variable, VariablePart* part) {
  const SaveSliceInfoDef& info = variable.save_slice_info_def();
  const int rank = info.full_shape_size();
  if (rank == 0 || info.var_offset_size() != rank || info.var_shape_size() != rank) return false;
  part->shape_and_slice = ShapeAndSliceOf(info);
  auto parsed = ParseShapeAndSlice(part->shape_and_slice);
  if (!parsed.ok()) return false;
  part->name = variable.variable_name().substr(0, variable.variable_name().rfind(':'));
  part->full_name = info.full_name();
  part->full_shape = parsed->full_shape;
  part->shape = parsed->slice_shape;
  return true;
}

}  // namespace

std::vector<VariablePart> PartsIn(std::string_view meta_graph) {
  MetaGraphDef proto;
  std::vector<VariablePart> parts;
  if (!proto.ParseFromArray(meta_graph.data(), static_cast<int>(meta_graph.size()))) return parts;
  std::set<std::string> seen;
  for (const auto& [key, collection] : proto.collection_def()) {
    for (const std::string& bytes : collection.bytes_list().value()) {
      VariableDef variable;
      if (!variable.ParseFromString(bytes) || !variable.has_save_slice_info_def()) continue;
      VariablePart part;
      if (Take(variable, &part) && seen.insert(part.name).second) parts.push_back(std::move(part));
    }
  }
  return parts;
}

}  // namespace ramet::files
