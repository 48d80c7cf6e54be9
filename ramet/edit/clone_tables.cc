// The part of CloneStateOps that fills tables.

#include "ramet/edit/clone_state.h"

namespace ramet {
namespace {

// Ops on tables exist for references and, with the suffix V2, for resources.
std::string OpOn(const Operation& table, const char* op) {
  return StrCat(op, table.output(0).dtype() == DType::kResource ? "V2" : "");
}

bool IsFilledOnce(const Operation& table) { return table.type().starts_with("HashTable"); }

}  // namespace

// Fills tables with their initializers or, with kCurrent, with the original's content. Checkpoints
// and CloneOptions::value_of do not contain tables.
Status CloneStateOps::InitTables(const CloneOptions& options, const StateValues& values,
                                 std::vector<Operation>* ops) {
  const bool current = options.initial.is(CloneInitialKind::kCurrent);
  for (const CloneMapping::Table& table : mapping_.tables) {
    const std::string name = StrCat("init/", table.original.name());
    if (current && mapping_.same_graph()) {
      RAMET_ASSIGN_OR_RETURN(ops->emplace_back(), CopyTable(table, name));
    } else if (current && values.has_tables) {
      auto entries = values.tables.find(table.original.id());
      if (entries == values.tables.end()) continue;
      RAMET_ASSIGN_OR_RETURN(ops->emplace_back(), FillTable(table.copy, entries->second, name));
    } else {
      ops->insert(ops->end(), table.initializers.begin(), table.initializers.end());
    }
  }
  return OkStatus();
}

StatusOr<Operation> CloneStateOps::CopyTable(const CloneMapping::Table& table,
                                             const std::string& name) {
  const Output original = table.original.output(0);
  auto copy = [&]() -> StatusOr<Operation> {
    RAMET_ASSIGN_OR_RETURN(auto key, table.original.attr<DType>("key_dtype"));
    RAMET_ASSIGN_OR_RETURN(auto value, table.original.attr<DType>("value_dtype"));
    RAMET_ASSIGN_OR_RETURN(
        Operation entries,
        AddBeside(table.copy, OpOn(table.original, "LookupTableExport"), StrCat(name, "/export"),
                  {original}, {{"Tkeys", key}, {"Tvalues", value}}));
    return AddBeside(table.copy, OpOn(table.copy, "LookupTableImport"), name,
                     {table.copy.output(0), entries.output(0), entries.output(1)});
  };
  if (!IsFilledOnce(table.original)) return copy();
  // An uninitialized table has size 0; exporting it is an error.
  RAMET_ASSIGN_OR_RETURN(Operation size,
                         AddBeside(table.copy, OpOn(table.original, "LookupTableSize"),
                                   StrCat(name, "/size"), {original}));
  RAMET_ASSIGN_OR_RETURN(Operation zero,
                         AddBeside(table.copy, "Const", StrCat(name, "/zero"), {},
                                   {{"value", Tensor(int64_t{0})}, {"dtype", DType::kInt64}}));
  RAMET_ASSIGN_OR_RETURN(Operation filled,
                         AddBeside(table.copy, "Greater", StrCat(name, "/is_filled"),
                                   {size.output(0), zero.output(0)}));
  return OnlyIf(table.copy, filled.output(0), name, copy);
}

StatusOr<Operation> CloneStateOps::FillTable(const Operation& table, const TableEntries& entries,
                                             const std::string& name) {
  std::vector<Output> inputs = {table.output(0)};
  for (const auto& [part, value] : {std::pair<const char*, const Tensor&>{"/keys", entries.keys},
                                    {"/values", entries.values}}) {
    RAMET_ASSIGN_OR_RETURN(Operation constant,
                           AddBeside(table, "Const", StrCat(name, part), {},
                                     {{"value", value}, {"dtype", value.dtype()}}));
    inputs.push_back(constant.output(0));
  }
  return AddBeside(table, OpOn(table, "LookupTableImport"), name, std::move(inputs));
}

}  // namespace ramet
