#include "ramet/checkpoint/saveable.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace ramet {
namespace {

using NamedVariables = std::map<std::string, SavedVariable>;

std::string SliceSpec(const SaveSliceInfo& info) {
  std::string extents;
  for (size_t i = 0; i < info.var_offset.size(); ++i) {
    extents += StrCat(i ? ":" : "", info.var_offset[i], ",", info.var_shape[i]);
  }
  return StrCat(StrJoin(info.full_shape, " "), " ", extents);
}

Status SameName(const std::string& name) {
  return InvalidArgument("At least two variables have the same name: ", name);
}

Status AddToList(const Variable& v, NamedVariables* named) {
  const auto& slice = v.record().save_slice_info;
  const std::string name = slice ? slice->full_name : v.op_name();
  auto it = named->find(name);
  if (it == named->end()) {
    const std::vector<Variable> part = {v};
    named->emplace(name, slice ? SavedVariable(part) : SavedVariable(v));
    return OkStatus();
  }
  if (!slice) return SameName(name);
  if (!it->second.is_partitioned()) {
    return InvalidArgument("Mixing slices and non-slices with the same name: ", name);
  }
  it->second.Add(v);
  return OkStatus();
}

StatusOr<NamedVariables> NamesOf(std::vector<Variable> variables) {
  std::ranges::stable_sort(variables, {}, [](const Variable& v) { return v.name(); });
  NamedVariables named;
  for (const Variable& v : variables) RAMET_RETURN_IF_ERROR(AddToList(v, &named));
  return named;
}

StatusOr<NamedVariables> NamesOf(
    const std::vector<std::pair<std::string, SavedVariable>>& var_map) {
  NamedVariables named;
  for (const auto& [name, saved] : var_map) {
    if (!named.emplace(name, saved).second) return SameName(name);
  }
  return named;
}

// Adds the parts of a partitioned variable.
Status AddParts(const std::string& name, const SavedVariable& saved,
                std::vector<Saveable>* saveables) {
  const std::string* full_name = nullptr;
  for (const Variable& v : saved.variables()) {
    const auto& slice = v.record().save_slice_info;
    if (!slice) return InvalidArgument("Slices must all be slices: variable '", v.name(), "'");
    if (full_name != nullptr && *full_name != slice->full_name) {
      return InvalidArgument("Slices must all be from the same tensor: ", *full_name,
                             " != ", slice->full_name);
    }
    full_name = &slice->full_name;
    saveables->push_back({name, SliceSpec(*slice), v, nullptr, saved.stored_as()});
  }
  return OkStatus();
}

Status CheckVariables(const Graph& graph, const std::vector<Saveable>& saveables) {
  std::set<VariableId> seen;
  for (const Saveable& s : saveables) {
    if (s.object != nullptr) continue;
    if (!s.variable.valid() || s.variable.graph() != &graph) {
      return InvalidArgument("Variable to save is not a Variable of this graph: ", s.name);
    }
    if (!seen.insert(s.variable.id()).second) {
      return InvalidArgument("The same saveable will be restored with two names: ", s.name);
    }
  }
  return OkStatus();
}

// Inserts the objects among the other saveables, by name.
Status AddObjects(const Graph& graph, const std::vector<SaveableObject>& objects,
                  std::vector<Saveable>* saveables) {
  for (const SaveableObject& object : objects) {
    if (object.specs.empty() || !object.restore) {
      return InvalidArgument("saveable object '", object.name,
                             "' needs at least one spec and a restore function");
    }
    for (const SaveSpec& spec : object.specs) {
      if (spec.tensor.valid() && spec.tensor.graph() == &graph) continue;
      return InvalidArgument("saveable object '", object.name, "': the tensor of '", spec.name,
                             "' is not in this graph");
    }
    const auto position = std::ranges::upper_bound(*saveables, object.name, {}, &Saveable::name);
    if (position != saveables->begin() && std::prev(position)->name == object.name) {
      return SameName(object.name);
    }
    saveables->insert(position, {object.name, "", Variable(), &object, DType::kInvalid});
  }
  return OkStatus();
}

std::vector<Variable> VariablesToSave(const Graph& graph, const SaverOptions& options) {
  if (!SavesCollections(options)) return options.var_list;
  std::vector<Variable> all = graph.collections().Get<Variable>(graph_keys::kGlobalVariables);
  for (const Variable& v : graph.collections().Get<Variable>(graph_keys::kSaveableObjects)) {
    all.push_back(v);
  }
  return all;
}

}  // namespace

bool SavesCollections(const SaverOptions& options) {
  return options.var_list.empty() && options.var_map.empty() && options.saveable_objects.empty();
}

StatusOr<std::vector<Saveable>> CollectSaveables(Graph& graph, const SaverOptions& options) {
  const std::vector<Variable> list = VariablesToSave(graph, options);
  for (const Variable& v : list) {
    if (!v.valid()) return InvalidArgument("Variable to save is not a Variable");
  }
  RAMET_ASSIGN_OR_RETURN(const NamedVariables named,
                         options.var_map.empty() ? NamesOf(list) : NamesOf(options.var_map));
  std::vector<Saveable> saveables;
  for (const auto& [name, saved] : named) {
    if (saved.is_partitioned()) {
      RAMET_RETURN_IF_ERROR(AddParts(name, saved, &saveables));
    } else {
      saveables.push_back({name, "", saved.variables().front(), nullptr, saved.stored_as()});
    }
  }
  RAMET_RETURN_IF_ERROR(AddObjects(graph, options.saveable_objects, &saveables));
  RAMET_RETURN_IF_ERROR(CheckVariables(graph, saveables));
  return saveables;
}

}  // namespace ramet
