#include "ramet/ops/linalg/einsum_equation.h"

#include <algorithm>

namespace ramet {
namespace {

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// Checks that there is one ellipsis or no period at all.
Status CheckPeriods(std::string_view subscripts, std::string_view of) {
  const auto periods = std::ranges::count(subscripts, '.');
  if (periods == 0 || (periods == 3 && HasEllipsis(subscripts))) return OkStatus();
  return InvalidArgument("Expected at most one ellipsis (...), but found ", periods,
                         " periods (.) in the ", of, " subscript: ", subscripts);
}

// Returns the labels of `subscripts`; an ellipsis stands for `broadcasting` labels.
Labels LabelsOf(std::string_view subscripts, int broadcasting) {
  Labels labels;
  const size_t dots = subscripts.find(kEllipsis);
  for (size_t i = 0; i < subscripts.size(); ++i) {
    if (i != dots) {
      labels.push_back(static_cast<unsigned char>(subscripts[i]));
      continue;
    }
    for (int k = broadcasting; k > 0; --k) labels.push_back(kBroadcast + k - 1);
    i += kEllipsis.size() - 1;
  }
  return labels;
}

int CountNamed(std::string_view subscripts) {
  const size_t named = subscripts.size() - (HasEllipsis(subscripts) ? kEllipsis.size() : 0);
  return static_cast<int>(named);
}

}  // namespace

StatusOr<EinsumEquation> EinsumEquation::Parse(const std::string& text, int num_inputs) {
  EinsumEquation equation;
  equation.text = text;
  const size_t arrow = text.find("->");
  if (arrow == std::string::npos || text.find("->", arrow + 2) != std::string::npos) {
    return InvalidArgument("Expecting exactly one '->' in einsum equation: ", text);
  }
  equation.inputs = Split(std::string_view(text).substr(0, arrow), ',');
  equation.output = text.substr(arrow + 2);
  const auto count = equation.inputs.size();
  if (count > 2) {
    return InvalidArgument("Expecting 1 or 2 input subscripts in equation '", text,
                           "' but got: ", count);
  }
  if (static_cast<int>(count) != num_inputs) {
    return InvalidArgument("Expected ", count, " inputs for equation ", text,
                           " but got: ", num_inputs);
  }
  for (const std::string& input : equation.inputs) {
    RAMET_RETURN_IF_ERROR(CheckPeriods(input, "input"));
  }
  RAMET_RETURN_IF_ERROR(CheckPeriods(equation.output, "output"));
  for (char label : equation.output) {
    const bool known = std::ranges::any_of(equation.inputs, [&](const std::string& in) {
      return in.find(label) != std::string::npos;
    });
    if (known || label == '.') continue;
    return InvalidArgument("Einsum output subscripts for equation '", text, "' has label '", label,
                           "' which is not present in the input subscripts");
  }
  return equation;
}

StatusOr<Labels> EinsumEquation::InputLabels(int i, int rank) const {
  const int named = CountNamed(inputs[i]);
  const bool dots = HasEllipsis(inputs[i]);
  if (dots ? rank < named : rank != named) {
    return InvalidArgument("Expected input ", i, " to have rank ", dots ? "at least " : "", named,
                           " but got: ", rank);
  }
  return LabelsOf(inputs[i], rank - named);
}

StatusOr<Labels> EinsumEquation::OutputLabels(int broadcasting) const {
  if (broadcasting > 0 && !HasEllipsis(output)) {
    return InvalidArgument("Output contains ", broadcasting,
                           " broadcasting dimension(s) but no ellipsis (...) was found in the "
                           "output subscripts.");
  }
  return LabelsOf(output, broadcasting);
}

bool HasEllipsis(std::string_view subscripts) {
  return subscripts.find(kEllipsis) != std::string_view::npos;
}

bool Contains(const Labels& labels, Label label) {
  return std::ranges::find(labels, label) != labels.end();
}

Labels Distinct(const Labels& labels) {
  Labels distinct;
  for (Label label : labels) {
    if (!Contains(distinct, label)) distinct.push_back(label);
  }
  return distinct;
}

int CountBroadcasting(const Labels& labels) {
  return static_cast<int>(std::ranges::count_if(labels, [](Label l) { return l >= kBroadcast; }));
}

}  // namespace ramet
