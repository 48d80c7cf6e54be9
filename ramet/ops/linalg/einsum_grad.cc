#include <algorithm>

#include "ramet/ops/linalg/einsum_equation.h"
#include "ramet/ops/math/gradient_util.h"

namespace ramet {
namespace {

Output Einsum(GradientContext& c, const std::vector<Input>& inputs, const std::string& equation) {
  return c.Add("Einsum", inputs,
               {{"equation", equation}, {"N", static_cast<int64_t>(inputs.size())}});
}

bool HasRepeated(std::string_view subscripts) {
  for (size_t i = 0; i < subscripts.size(); ++i) {
    if (subscripts[i] != '.' && subscripts.find(subscripts[i], i + 1) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

std::string Without(std::string_view subscripts, std::string_view labels) {
  std::string rest;
  for (char label : subscripts) {
    if (labels.find(label) == std::string_view::npos) rest += label;
  }
  return rest;
}

// Returns the names in `subscripts` that do not occur in `others`, without duplicates.
std::string NamesOnlyIn(std::string_view subscripts, std::string_view others) {
  std::string names;
  for (char label : subscripts) {
    const bool known = label == '.' || others.find(label) != std::string_view::npos;
    if (!known && names.find(label) == std::string::npos) names += label;
  }
  return names;
}

// Returns the axis of a label, counted from the end if an ellipsis precedes it.
int AxisOf(std::string_view subscripts, char label) {
  const auto at = static_cast<int>(subscripts.find(label));
  const size_t dots = subscripts.find(kEllipsis);
  if (dots == std::string_view::npos || at < static_cast<int>(dots)) return at;
  return at - static_cast<int>(subscripts.size());
}

// Returns `shape` with 1 at the axes.
Output WithOnesAt(GradientContext& c, const Output& shape, const std::vector<int64_t>& axes) {
  const Output rank = SizeOf(c, shape);
  const Output whole = c.Add("AddV2", {Int32Vector(c, axes), rank}, {}, "add");
  const Output at = c.Add("FloorMod", {whole, rank}, {}, "mod");
  const Output all = RangeTo(c, rank);
  const Output ones = Int32Vector(c, std::vector<int64_t>(axes.size(), 1));
  return c.Add("DynamicStitch", {all, at, shape, ones}, {{"N", 2}});
}

// Returns the gradient of an input, given the gradient of a tensor [kept] that is the input summed
// over the names `summed`.
Output Spread(GradientContext& c, const Output& grad, const std::string& kept,
              const std::string& input, const Output& input_shape, const std::string& summed) {
  std::vector<int64_t> axes;
  std::vector<Input> sizes;
  for (char label : summed) {
    axes.push_back(AxisOf(input, label));
    sizes.emplace_back(ElementAt(c, input_shape, static_cast<int>(axes.back())));
  }
  if (!HasRepeated(input) && Without(input, summed) == kept) {
    const Output reshaped = Reshape(c, grad, WithOnesAt(c, input_shape, axes));
    return c.Add("BroadcastTo", {reshaped, input_shape});
  }
  const Output grad_shape = ShapeOf(c, grad);
  const auto count = static_cast<int64_t>(sizes.size());
  const Output new_sizes = c.Add("Pack", sizes, {{"N", count}});
  const Output whole = ConcatVectors(c, {new_sizes, grad_shape});
  const Output ones = Int32Vector(c, std::vector<int64_t>(summed.size(), 1));
  const Output with_ones = Reshape(c, grad, ConcatVectors(c, {ones, grad_shape}));
  const Output broadcast = c.Add("BroadcastTo", {with_ones, whole});
  return Einsum(c, {broadcast}, summed + kept + "->" + input);
}

// Returns the gradient of one of two inputs as if nothing were broadcast.
Output OfInput(GradientContext& c, const Output& grad, const Output& other,
               const Output& input_shape, const std::string& input, const std::string& other_input,
               const std::string& output) {
  const std::string summed = NamesOnlyIn(input, output + other_input);
  const std::string kept = Without(input, summed);
  const Output of_kept = Einsum(c, {grad, other}, output + "," + other_input + "->" + kept);
  return summed.empty() ? of_kept : Spread(c, of_kept, kept, input, input_shape, summed);
}

// The position of the dimensions of an ellipsis: they start at `begin`, and `rest` dimensions
// follow them.
struct Broadcasting {
  int begin, rest;

  explicit Broadcasting(const std::string& subscripts)
      : begin(static_cast<int>(subscripts.find(kEllipsis))),
        rest(static_cast<int>(subscripts.size() - kEllipsis.size()) - begin) {}
  Shape Of(const Shape& shape) const {
    return shape.unknown_rank() ? shape : shape.Slice(begin, shape.rank() - rest);
  }
  Output Of(GradientContext& c, const Output& shape) const {
    return SliceOf(c, shape, begin, -rest);
  }
};

Output SumOfBroadcast(GradientContext& c, const Output& grad, const Broadcasting& at,
                      const Output& axes, const Output& shape) {
  const Output shifted = c.Add("AddV2", {Tensor(static_cast<int32_t>(at.begin)), axes}, {}, "add");
  return Reshape(c, c.Add("Sum", {grad, shifted}), shape);
}

Status OneInputGradient(GradientContext& c, const EinsumEquation& equation) {
  const std::string &input = equation.inputs[0], &output = equation.output;
  const std::string summed = NamesOnlyIn(input, output);
  if (summed.empty()) return c.Return({Einsum(c, {c.grad()}, output + "->" + input)});
  return c.Return({Spread(c, c.grad(), output, input, ShapeOf(c, c.input(0)), summed)});
}

Status TwoInputsGradient(GradientContext& c, const EinsumEquation& equation) {
  std::string x_subs = equation.inputs[0], y_subs = equation.inputs[1];
  const std::string& output = equation.output;
  const bool broadcasts = HasEllipsis(output);
  for (std::string* subs : {&x_subs, &y_subs}) {
    if (broadcasts && !HasEllipsis(*subs)) *subs += kEllipsis;
  }
  const Output grad = c.grad(), x = Conj(c, c.input(0)), y = Conj(c, c.input(1));
  const Output x_shape = ShapeOf(c, x), y_shape = ShapeOf(c, y);
  const Output x_grad = OfInput(c, grad, y, x_shape, x_subs, y_subs, output);
  const Output y_grad = OfInput(c, grad, x, y_shape, y_subs, x_subs, output);
  if (!broadcasts) return c.Return({x_grad, y_grad});
  const Broadcasting x_at(x_subs), y_at(y_subs);
  const Shape x_dims = x_at.Of(x.shape()), y_dims = y_at.Of(y.shape());
  if (x_dims.IsFullyDefined() && x_dims == y_dims) return c.Return({x_grad, y_grad});
  const Operation axes =
      c.AddOperation("BroadcastGradientArgs", {x_at.Of(c, x_shape), y_at.Of(c, y_shape)});
  if (!axes.valid()) return NoGradient(c);
  return c.Return({SumOfBroadcast(c, x_grad, x_at, axes.output(0), x_shape),
                   SumOfBroadcast(c, y_grad, y_at, axes.output(1), y_shape)});
}

}  // namespace

Status EinsumGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto text, c.attr<std::string>("equation"));
  RAMET_ASSIGN_OR_RETURN(auto equation, EinsumEquation::Parse(text, c.num_inputs()));
  return c.num_inputs() == 1 ? OneInputGradient(c, equation) : TwoInputsGradient(c, equation);
}

}  // namespace ramet
