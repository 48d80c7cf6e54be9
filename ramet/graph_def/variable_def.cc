#include "ramet/graph_def/variable_def.h"

#include "ramet/graph/names.h"

namespace ramet {
namespace {

StatusOr<SaveSliceInfo> SliceFromProto(const SaveSliceInfoDef& proto, const std::string& prefix) {
  SaveSliceInfo slice;
  slice.full_name = JoinScope(prefix, proto.full_name());
  slice.full_shape.assign(proto.full_shape().begin(), proto.full_shape().end());
  slice.var_offset.assign(proto.var_offset().begin(), proto.var_offset().end());
  slice.var_shape.assign(proto.var_shape().begin(), proto.var_shape().end());
  const size_t rank = slice.full_shape.size();
  bool fits = slice.var_offset.size() == rank && slice.var_shape.size() == rank;
  for (size_t d = 0; fits && d < rank; ++d) {
    int64_t end = 0;
    fits = slice.var_offset[d] >= 0 && slice.var_shape[d] >= 0 &&
           !__builtin_add_overflow(slice.var_offset[d], slice.var_shape[d], &end) &&
           end <= slice.full_shape[d];
  }
  if (fits) return slice;
  return InvalidArgument("the slice of '", slice.full_name, "' is not inside the full shape [",
                         StrJoin(slice.full_shape, ","), "]: offset [",
                         StrJoin(slice.var_offset, ","), "], shape [",
                         StrJoin(slice.var_shape, ","), "]");
}

}  // namespace

StatusOr<VariableRecord> VariableFromProto(const VariableDef& proto, const NameResolver& resolver) {
  VariableRecord record;
  RAMET_ASSIGN_OR_RETURN(record.variable, resolver.FindTensor(proto.variable_name()));
  RAMET_ASSIGN_OR_RETURN(record.initializer, resolver.FindOperation(proto.initializer_name()));
  RAMET_ASSIGN_OR_RETURN(record.snapshot, resolver.FindTensor(proto.snapshot_name()));
  if (!proto.initial_value_name().empty()) {
    RAMET_ASSIGN_OR_RETURN(record.initial_value, resolver.FindTensor(proto.initial_value_name()));
  }
  record.is_resource = proto.is_resource();
  record.trainable = proto.trainable();
  record.synchronization = proto.synchronization();
  record.aggregation = proto.aggregation();
  if (proto.has_save_slice_info_def()) {
    RAMET_ASSIGN_OR_RETURN(record.save_slice_info,
                           SliceFromProto(proto.save_slice_info_def(), resolver.prefix()));
  }
  return record;
}

void VariableToProto(const GraphImpl& impl, const VariableRecord& record, const ExportScope& scope,
                     VariableDef* proto) {
  proto->set_variable_name(scope.Strip(TensorName(impl, record.variable)));
  proto->set_initializer_name(scope.Strip(OperationName(impl, record.initializer)));
  proto->set_snapshot_name(scope.Strip(TensorName(impl, record.snapshot)));
  proto->set_initial_value_name(scope.Strip(TensorName(impl, record.initial_value)));
  proto->set_is_resource(record.is_resource);
  proto->set_trainable(record.trainable);
  proto->set_synchronization(static_cast<VariableSynchronization>(record.synchronization));
  proto->set_aggregation(static_cast<VariableAggregation>(record.aggregation));
  if (!record.save_slice_info) return;
  const SaveSliceInfo& slice = *record.save_slice_info;
  SaveSliceInfoDef* def = proto->mutable_save_slice_info_def();
  def->set_full_name(scope.Strip(slice.full_name));
  for (int64_t v : slice.full_shape) def->add_full_shape(v);
  for (int64_t v : slice.var_offset) def->add_var_offset(v);
  for (int64_t v : slice.var_shape) def->add_var_shape(v);
}

}  // namespace ramet
