#pragma once

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core.h"

// Options of C++ from dicts of Python, by the tables of ForEachOption.
namespace ramet::python {

// Returns what a message calls the values of an option of type T.
template <class T>
constexpr std::string_view Expected() {
  if constexpr (std::is_unsigned_v<T>) return "an int of at least 0";
  if constexpr (std::is_integral_v<T>) return "an int";
  if constexpr (std::is_floating_point_v<T>) return "a number";
  return "a str";
}

// Sets the option `name`, whose type decides how `value` is converted.
// Raises TypeError if the value has the wrong type, and ValueError for an unknown name of a value.
template <class T>
void SetOptionValue(std::string_view name, nb::handle value, T* option) {
  if constexpr (std::is_same_v<T, bool>) {
    const int truth = PyObject_IsTrue(value.ptr());
    Checked(truth);
    *option = truth != 0;
  } else if constexpr (std::is_enum_v<T>) {
    std::string text, names;
    if (!nb::try_cast(value, text)) {
      RaiseTypeError(name, " must be a string, not ", Str(value.ptr()));
    }
    for (const auto& [known, meaning] : NamesOf(T())) {
      names += StrCat(names.empty() ? "'" : ", '", known, "'");
      if (known != text) continue;
      *option = meaning;
      return;
    }
    RaiseValueError(name, " must be one of ", names, ", not '", text, "'");
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    nb::object list = nb::steal(Checked(PySequence_List(value.ptr())));
    if (!nb::try_cast(list, *option)) RaiseTypeError(name, " must be a list of strings");
  } else {
    if (!nb::try_cast(value, *option)) {
      RaiseTypeError(name, " cannot be ", nb::cast<std::string>(nb::repr(value)), "; it must be ",
                     Expected<T>());
    }
  }
}

inline void SetOptionValue(std::string_view name, nb::handle value,
                           std::optional<uint32_t>* option) {
  SetOptionValue(name, value, &option->emplace());
}

using TextPairs = std::vector<std::pair<std::string, std::string>>;

inline void SetOptionValue(std::string_view name, nb::handle value, std::vector<Renaming>* rules) {
  TextPairs pairs;
  if (!nb::try_cast(value, pairs)) RaiseTypeError(name, " must map names to names");
  for (auto& [from, to] : pairs) rules->push_back({from, to});
}

inline void SetOptionValue(std::string_view name, nb::handle value,
                           std::vector<ConversionRule>* rules) {
  TextPairs pairs;
  if (!nb::try_cast(value, pairs)) RaiseTypeError(name, " must map names to names of dtypes");
  for (auto& [prefix, to] : pairs) {
    SetOptionValue(name, nb::cast(to), &rules->emplace_back(ConversionRule{prefix}).to);
  }
}

// Returns the options that `given` sets, with defaults for all others.
// Raises TypeError for a name that is not in the table.
template <class Options>
Options OptionsFrom(nb::dict given) {
  Options options;
  for (auto [key, value] : given) {
    const std::string name = nb::cast<std::string>(key);
    bool is_known = false;
    ForEachOption(options, [&, value = value](std::string_view option, auto& member) {
      if (option != name) return;
      is_known = true;
      SetOptionValue(name, value, &member);
    });
    if (!is_known) RaiseTypeError("unknown option '", name, "'");
  }
  return options;
}

// Returns the names of the options, in the order of the table.
template <class Options>
nb::list OptionNames() {
  nb::list names;
  Options options;
  ForEachOption(options, [&](std::string_view name, auto&) {
    names.append(nb::str(name.data(), name.size()));
  });
  return names;
}

}  // namespace ramet::python
