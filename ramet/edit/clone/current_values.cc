#include "ramet/edit/clone/current_values.h"

#include "ramet/op/resource_handle.h"
#include "ramet/op/table_content.h"

namespace ramet {
namespace {

// Returns the variable's value; empty if it has none.
StatusOr<Tensor> ValueOf(const CloneSession& session, const Variable& variable) {
  const std::string name = variable.op_name();
  auto value = session.Value(variable);
  if (!value.ok()) return value.status().WithContext(StrCat("clone: session: '", name, "'"));
  if (value->empty()) return value;
  const bool fits =
      value->dtype() == variable.dtype() && value->shape().IsCompatibleWith(variable.shape());
  if (fits) return value;
  return InvalidArgument("clone: session: variable '", name, "' is ", DTypeName(variable.dtype()),
                         variable.shape(), "; the value is ", DTypeName(value->dtype()),
                         value->shape());
}

Status NoValue(const Variable& variable) {
  return FailedPrecondition("clone: session: variable '", variable.op_name(), "' has no value");
}

// Reads the content of a table; nothing if it is not initialized.
Status ReadTable(const Operation& op, const CloneSession& session, StateValues* values) {
  auto handle = session.ResourceHandle(op);
  if (!handle.ok()) {
    return handle.status().WithContext(StrCat("clone: session: '", op.name(), "'"));
  }
  const std::shared_ptr<Resource> resource = CarriedResource(*handle);
  const auto* table = dynamic_cast<const TableContent*>(resource.get());
  if (table == nullptr || !table->has_content()) return OkStatus();
  TableEntries& entries = values->tables[op.id()];
  return table->Export(entries.keys, entries.values, HostAllocator());
}

Status ReadTables(const CloneSelection& selection, const CloneSession& session,
                  StateValues* values) {
  values->has_tables = true;
  for (const SelectedTable& t : selection.state().tables) {
    const Operation op(selection.source(), t.node);
    if (op.output(0).dtype() != DType::kResource) continue;
    RAMET_RETURN_IF_ERROR(ReadTable(op, session, values));
  }
  return OkStatus();
}

Status ReadVariable(const CloneSelection& selection, const SelectedVariable& v,
                    const CloneSession& session, StateValues* values) {
  const Operation op(selection.source(), v.node);
  if (v.record < 0) {
    return InvalidArgument("clone: initial: the source has no record of variable '", op.name(),
                           "'; use a checkpoint or its initializer");
  }
  const Variable variable(op.graph(), v.record);
  RAMET_ASSIGN_OR_RETURN(Tensor value, ValueOf(session, variable));
  // A session may not have initialized the variable yet, but a function was asked for it.
  if (value.empty()) return session.is_function() ? NoValue(variable) : OkStatus();
  values->variables.emplace(v.node, std::move(value));
  return OkStatus();
}

}  // namespace

Status CheckSession(const CloneSession& session, const Graph& graph, const char* argument) {
  if (!session.valid()) {
    return InvalidArgument("clone: ", argument,
                           ": copying values between graphs requires a session of each graph");
  }
  if (session.graph() == &graph) return OkStatus();
  return InvalidArgument("clone: ", argument, ": the session belongs to a different graph");
}

StatusOr<StateValues> ReadCurrentValues(const CloneSelection& selection,
                                        const CloneOptions& options) {
  StateValues values;
  const bool same_graph = options.into == nullptr || options.into == selection.source();
  if (same_graph || !options.initial.is(CloneInitialKind::kCurrent)) return values;
  const CloneSession& session = options.session;
  if (!session.is_function()) {
    RAMET_RETURN_IF_ERROR(CheckSession(session, *selection.source(), "session"));
  }
  for (const SelectedVariable& v : selection.state().variables) {
    RAMET_RETURN_IF_ERROR(ReadVariable(selection, v, session, &values));
  }
  if (!session.is_function()) RAMET_RETURN_IF_ERROR(ReadTables(selection, session, &values));
  return values;
}

StatusOr<std::vector<Tensor>> ReadOriginals(const CloneMapping& mapping, const CloneSession& from) {
  std::vector<Tensor> values;
  for (size_t i = 0; i < mapping.variables.list.size(); ++i) {
    const VariableId id = mapping.variables.origins[i].id;
    if (id < 0) {
      return InvalidArgument("clone: session: the source has no record of variable '",
                             mapping.variables.list[i].original.op().name(), "'");
    }
    const Variable variable(mapping.source, id);
    RAMET_ASSIGN_OR_RETURN(Tensor value, ValueOf(from, variable));
    if (value.empty()) return NoValue(variable);
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace ramet
