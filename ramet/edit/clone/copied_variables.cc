#include "ramet/edit/clone/copied_variables.h"

#include "ramet/graph/edit_graph.h"

namespace ramet {

VariableCopier::VariableCopier(const CloneSelection& selection, const CloneDtypes& dtypes,
                               const CopiedEdges& edges, CloneNames& names, CloneMapping& mapping)
    : selection_(selection),
      dtypes_(dtypes),
      edges_(edges),
      names_(names),
      mapping_(mapping),
      source_(GraphDataOf(*mapping.source)),
      target_(MutableGraphDataOf(*mapping.target)) {}

void VariableCopier::Add(VariableRecord record, const Output& original, VariableId original_id) {
  const VariableId id = static_cast<VariableId>(target_.variables.size());
  if (original_id >= 0) mapping_.variables.copies[static_cast<size_t>(original_id)] = id;
  std::string name(source_.nodes[original.op().id()].name);
  if (record.save_slice_info) {
    name = record.save_slice_info->full_name;
    record.save_slice_info->full_name = names_.Mapped(record.save_slice_info->full_name);
  }
  target_.variables.push_back(std::move(record));
  mapping_.variables.list.push_back({original, Variable(mapping_.target, id)});
  mapping_.variables.origins.push_back({original_id, std::move(name)});
}

// Returns the copy of an initial value, or its Cast if the variable has a different dtype.
Output VariableCopier::InitialValue(const Output& value, const VariableRecord& copy) const {
  if (dtypes_.none() || !value.valid()) return mapping_.Copied(value);
  const Output& of = copy.snapshot.valid() ? copy.snapshot : copy.variable;
  const DType dtype = BaseType(target_.output({of.op().id(), of.index()}).dtype);
  const int32_t cast = dtypes_.casts().Find({value.op().id(), value.index()}, dtype);
  return cast < 0 ? mapping_.Copied(value)
                  : Output(Operation(mapping_.target, edges_.CastId(cast)), 0);
}

void VariableCopier::CopyAll() {
  const size_t known = source_.variables.size();
  mapping_.variables.copies.assign(known, -1);
  for (size_t v = 0; v < known; ++v) CopyRecord(static_cast<VariableId>(v));
  for (const SelectedVariable& v : selection_.state().variables) {
    if (v.record < 0) AddBareVariable(v);
  }
  AddStoreKeys();
}

void VariableCopier::CopyRecord(VariableId id) {
  VariableRecord record = source_.variables[static_cast<size_t>(id)];
  const Output original = record.variable;
  if (!mapping_.IsCloned(original.op().id())) return;
  record.variable = mapping_.Copied(record.variable);
  record.initializer = mapping_.Of(record.initializer);
  record.snapshot = mapping_.Copied(record.snapshot);
  record.initial_value = InitialValue(record.initial_value, record);
  Add(std::move(record), original, id);
}

void VariableCopier::AddBareVariable(const SelectedVariable& v) {
  Graph* target = mapping_.target;
  VariableRecord record;
  const Output original(Operation(mapping_.source, v.node), 0);
  record.is_resource = source_.nodes[v.node].op->name() == "VarHandleOp";
  record.variable = mapping_.Copied(original);
  if (v.initializer >= 0) {
    record.initializer = Operation(target, mapping_.Copy(v.initializer));
    const Endpoint value = source_.inputs(v.initializer)[1];
    record.initial_value = mapping_.Of(Output(Operation(mapping_.source, value.node), value.index));
  }
  record.snapshot =
      v.read >= 0 ? Output(Operation(target, mapping_.Copy(v.read)), 0) : record.variable;
  Add(std::move(record), original, -1);
}

// Adds the variables that get_variable finds under the new scope.
void VariableCopier::AddStoreKeys() {
  std::vector<std::pair<std::string, VariableId>> keys;
  for (const auto& [key, id] : source_.build_state.variable_store) {
    const VariableId copy = mapping_.CopyOfVariable(id);
    if (copy >= 0) keys.emplace_back(names_.Mapped(key), copy);
  }
  for (const ClonedVariable& v : mapping_.variables.list) {
    const NodeId node = target_.variables[v.copy.id()].variable.op().id();
    keys.emplace_back(std::string(target_.nodes[node].name), v.copy.id());
  }
  for (auto& [key, id] : keys) target_.build_state.variable_store.try_emplace(std::move(key), id);
}

}  // namespace ramet
