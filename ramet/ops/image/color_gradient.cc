#include <initializer_list>

#include "ramet/ops/image/color.h"
#include "ramet/ops/math/gradient_util.h"

// The gradient of RGBToHSV. Adds the nodes that TensorFlow adds, in its order.

namespace ramet {
namespace {

// Adds the nodes of formulas of colors, in the order of the calls.
class ColorTerms {
 public:
  ColorTerms(GradientContext& c, DType dtype) : c_(c), dtype_(dtype) {}

  // Returns x[..., i].
  Output Channel(const Output& x, int i) {
    Scope here(c_.graph());
    Scope scope = here.NameScope("strided_slice");
    const auto bound = [&](std::string_view name, int rest, int channel) {
      return Constant(c_.graph(), Tensor::Vector<int32_t>({rest, channel}), name);
    };
    const Output begin = bound("stack", 0, i), end = bound("stack_1", 0, i + 1),
                 step = bound("stack_2", 1, 1);
    return c_.Add("StridedSlice", {x, begin, end, step},
                  {{"ellipsis_mask", 1}, {"shrink_axis_mask", 2}}, scope.name());
  }
  // Returns 1 where `op` holds for x and y, and `other_op` for x and z; 0 elsewhere.
  Output Both(const Output& x, const char* op, const Output& y, const char* other_op,
              const Output& z) {
    const Output first = c_.Add(op, {x, y}), second = c_.Add(other_op, {x, z});
    return Cast(c_, c_.Add("LogicalAnd", {first, second}, {}, "and"), dtype_);
  }
  Output Positive(const Output& x) { return Cast(c_, c_.Add("Greater", {x, Input(0)}), dtype_); }
  // Returns 1 / x, or 0 where x is 0.
  Output Inverse(const Output& x) {
    const Output one = One();
    return c_.Add("DivNoNan", {one, x}, {}, "div_no_nan");
  }
  Output InverseSquare(const Output& x) { return Inverse(c_.Add("Square", {x})); }
  Output Add(const Output& x, const Output& y) { return c_.Add("AddV2", {x, y}, {}, "Add"); }

 private:
  Output One() {
    Scope here(c_.graph());
    Scope scope = here.NameScope("Cast");
    const Output one = Constant(c_.graph(), Tensor(1.0f), "x");
    if (dtype_ == DType::kFloat) return one;
    return c_.Add("Cast", {one}, {{"DstT", dtype_}}, scope.name());
  }

  GradientContext& c_;
  const DType dtype_;
};

// A channel of the color: its values, whether it is the greatest and the least, and the color's
// two other channels.
struct ColorChannel {
  Output value, greatest, least;
};

// The derivative of the saturation for channel x, whose others are y and z.
Output SaturationFor(ColorTerms& t, const ColorChannel& x, const ColorChannel& y,
                     const ColorChannel& z) {
  const Output positive = t.Positive(x.value);
  const Output low_y = y.least * y.value, low_z = z.least * z.value;
  const Output as_greatest = x.greatest * t.Add(low_y, low_z);
  const Output scaled = as_greatest * t.InverseSquare(x.value);
  const Output negative = x.least * Input(-1);
  const Output top_y = y.greatest * y.value, top_z = z.greatest * z.value;
  const Output as_least = negative * t.Inverse(top_y + top_z);
  return positive * t.Add(scaled, as_least);
}

// The derivative of the hue where x is the greatest channel.
Output HueForGreatest(ColorTerms& t, const ColorChannel& x, const Output& y, const Output& z,
                      const Output& saturation, const Output& value) {
  const Output part = t.Positive(x.value) * x.greatest * Input(-1);
  const Output range = y - z;
  const Output product = part * range;
  const Output by_saturation = product * t.InverseSquare(saturation);
  const Output scaled = by_saturation * t.InverseSquare(value);
  return Input(60) * scaled;
}

// The derivative of the hue for the least channel, where `greatest` is the greatest one.
Output HueForLeast(ColorTerms& t, const ColorChannel& greatest, const ColorChannel& least,
                   const Output& above, const Output& below, const Output& from, const Output& to) {
  const Output part = t.Positive(greatest.value) * greatest.greatest * least.least;
  const Output range = above - below;
  const Output product = part * range;
  return Input(60) * (product * t.InverseSquare(from - to));
}

// The derivative of the hue for the middle channel, where `greatest` is the greatest one.
Output HueForMiddle(ColorTerms& t, const ColorChannel& greatest, const ColorChannel& least,
                    bool negative, const Output& from, const Output& to) {
  Output part = t.Positive(greatest.value) * greatest.greatest * least.least;
  if (negative) part = part * Input(-1);
  return Input(60) * (part * t.Inverse(from - to));
}

// Returns [..., 3] with the products of channel i of the incoming gradient.
Output StackChannels(GradientContext& c, ColorTerms& t, int i,
                     std::initializer_list<Output> derivatives) {
  std::vector<Input> parts;
  for (const Output& derivative : derivatives) {
    parts.emplace_back(t.Channel(c.grad(), i) * derivative);
  }
  return c.Add("Pack", parts, {{"axis", -1}}, "stack");
}

// The three channels of a color, with its saturation and value.
struct ColorInputs {
  ColorInputs(GradientContext& c, ColorTerms& t) {
    int channel = 0;
    for (ColorChannel* x : {&r, &g, &b}) x->value = t.Channel(c.input(0), channel++);
    saturation = t.Channel(c.output(), 1);
    value = t.Channel(c.output(), 2);
    r.greatest = t.Both(r.value, "GreaterEqual", b.value, "GreaterEqual", g.value);
    g.greatest = t.Both(g.value, "Greater", r.value, "GreaterEqual", b.value);
    b.greatest = t.Both(b.value, "Greater", r.value, "Greater", g.value);
    r.least = t.Both(r.value, "Less", b.value, "Less", g.value);
    g.least = t.Both(g.value, "LessEqual", r.value, "Less", b.value);
    b.least = t.Both(b.value, "LessEqual", r.value, "LessEqual", g.value);
  }

  ColorChannel r, g, b;
  Output saturation, value;
};

// Returns a 360th of the sum of the terms, which are in degrees.
Output InTurns(std::initializer_list<Output> terms) {
  Output sum;
  for (const Output& term : terms) sum = sum.valid() ? sum + term : term;
  return sum / Input(360);
}

Output HueForRed(ColorTerms& t, const ColorInputs& in) {
  const auto& [r, g, b, saturation, value] = in;
  return InTurns({HueForGreatest(t, r, g.value, b.value, saturation, value),
                  HueForLeast(t, g, r, b.value, g.value, r.value, g.value),
                  HueForMiddle(t, g, b, true, g.value, b.value),
                  HueForLeast(t, b, r, b.value, g.value, b.value, r.value),
                  HueForMiddle(t, b, g, false, b.value, g.value)});
}

Output HueForGreen(ColorTerms& t, const ColorInputs& in) {
  const auto& [r, g, b, saturation, value] = in;
  return InTurns({HueForGreatest(t, g, b.value, r.value, saturation, value),
                  HueForLeast(t, r, g, r.value, b.value, r.value, g.value),
                  HueForMiddle(t, r, b, false, r.value, b.value),
                  HueForLeast(t, b, g, r.value, b.value, b.value, g.value),
                  HueForMiddle(t, b, r, true, b.value, r.value)});
}

Output HueForBlue(ColorTerms& t, const ColorInputs& in) {
  const auto& [r, g, b, saturation, value] = in;
  return InTurns({HueForGreatest(t, b, r.value, g.value, saturation, value),
                  HueForLeast(t, r, b, g.value, r.value, r.value, b.value),
                  HueForMiddle(t, r, g, true, r.value, g.value),
                  HueForLeast(t, g, b, g.value, r.value, g.value, b.value),
                  HueForMiddle(t, g, r, false, g.value, r.value)});
}

}  // namespace

Status RgbToHsvGradient(GradientContext& c) {
  ColorTerms t(c, c.input(0).dtype());
  const ColorInputs in(c, t);
  const auto& [r, g, b, saturation, value] = in;
  const Output ds_dr = SaturationFor(t, r, g, b), ds_dg = SaturationFor(t, g, r, b),
               ds_db = SaturationFor(t, b, g, r);
  const Output dh_dr = HueForRed(t, in), dh_dg = HueForGreen(t, in), dh_db = HueForBlue(t, in);
  const Output of_value = StackChannels(c, t, 2, {r.greatest, g.greatest, b.greatest});
  const Output of_saturation = StackChannels(c, t, 1, {ds_dr, ds_dg, ds_db});
  const Output of_hue = StackChannels(c, t, 0, {dh_dr, dh_dg, dh_db});
  return c.Return({t.Add(t.Add(of_value, of_saturation), of_hue)});
}

}  // namespace ramet
