#include "ramet/edit/clone/initial_tables.h"

namespace ramet {
namespace {

// Ops on tables exist for references and, with the suffix V2, for resources.
std::string OpOn(const Operation& table, const char* op) {
  return StrCat(op, table.output(0).dtype() == DType::kResource ? "V2" : "");
}

bool IsFilledOnce(const Operation& table) { return table.type().starts_with("HashTable"); }

StatusOr<Operation> CopyEntries(const CopiedTable& table, const std::string& name,
                                StateOpBuilder* builder) {
  RAMET_ASSIGN_OR_RETURN(auto key, table.original.attr<DType>("key_dtype"));
  RAMET_ASSIGN_OR_RETURN(auto value, table.original.attr<DType>("value_dtype"));
  RAMET_ASSIGN_OR_RETURN(
      Operation entries,
      builder->AddColocated(table.copy, OpOn(table.original, "LookupTableExport"),
                            StrCat(name, "/export"), {table.original.output(0)},
                            {{"Tkeys", key}, {"Tvalues", value}}));
  return builder->AddColocated(table.copy, OpOn(table.copy, "LookupTableImport"), name,
                               {table.copy.output(0), entries.output(0), entries.output(1)});
}

// Copies the entries that the original has when init_op runs.
StatusOr<Operation> CopyTable(const CopiedTable& table, const std::string& name,
                              StateOpBuilder* builder) {
  if (!IsFilledOnce(table.original)) return CopyEntries(table, name, builder);
  // An uninitialized table has size 0; exporting it is an error.
  RAMET_ASSIGN_OR_RETURN(Operation size,
                         builder->AddColocated(table.copy, OpOn(table.original, "LookupTableSize"),
                                               StrCat(name, "/size"), {table.original.output(0)}));
  RAMET_ASSIGN_OR_RETURN(Output zero,
                         builder->Constant(table.copy, StrCat(name, "/zero"), Tensor(int64_t{0})));
  RAMET_ASSIGN_OR_RETURN(Operation filled,
                         builder->AddColocated(table.copy, "Greater", StrCat(name, "/is_filled"),
                                               {size.output(0), zero}));
  return builder->OnlyIf(table.copy, filled.output(0), name,
                         [&] { return CopyEntries(table, name, builder); });
}

StatusOr<Operation> FillTable(const Operation& table, const TableEntries& entries,
                              const std::string& name, StateOpBuilder* builder) {
  RAMET_ASSIGN_OR_RETURN(Output keys,
                         builder->Constant(table, StrCat(name, "/keys"), entries.keys));
  RAMET_ASSIGN_OR_RETURN(Output values,
                         builder->Constant(table, StrCat(name, "/values"), entries.values));
  return builder->AddColocated(table, OpOn(table, "LookupTableImport"), name,
                               {table.output(0), keys, values});
}

}  // namespace

Status InitTables(const CloneOptions& options, const StateValues& values,
                  const CloneMapping& mapping, StateOpBuilder* builder,
                  std::vector<Operation>* ops) {
  const bool current = options.initial.is(CloneInitialKind::kCurrent);
  for (const CopiedTable& table : mapping.tables) {
    const std::string name = StrCat("init/", table.original.name());
    if (current && mapping.same_graph()) {
      RAMET_ASSIGN_OR_RETURN(ops->emplace_back(), CopyTable(table, name, builder));
    } else if (current && values.has_tables) {
      auto entries = values.tables.find(table.original.id());
      if (entries == values.tables.end()) continue;
      RAMET_ASSIGN_OR_RETURN(ops->emplace_back(),
                             FillTable(table.copy, entries->second, name, builder));
    } else {
      ops->insert(ops->end(), table.initializers.begin(), table.initializers.end());
    }
  }
  return OkStatus();
}

}  // namespace ramet
