#include "attrs.h"

#include <algorithm>

#include "values.h"

namespace ramet::fuzz {
namespace {

bool IsNumberAttr(const OpSchema& schema, std::string_view name) {
  const auto counts = [&](const ArgSchema& arg) { return arg.number_attr == name; };
  return std::ranges::any_of(schema.inputs, counts) || std::ranges::any_of(schema.outputs, counts);
}

int64_t DrawInt(Random& random, const OpSchema& schema, const AttrSchema& attr,
                const AttrStyle& style) {
  const int64_t least = attr.has_minimum ? attr.minimum : -1;
  if (random.Percent(style.hostile_percent)) return HostileInt(random);
  if (IsNumberAttr(schema, attr.name)) return std::max<int64_t>(least, 0) + random.Below(3);
  if (attr.name.find("mask") != std::string::npos) return random.Below(8);
  if (attr.name == "seed" || attr.name == "seed2") return random.Below(3);
  if (attr.name == "num_bits") return random.In(2, 16);
  return least + random.Below(6);
}

// Windows, strides and dilations of convolutions and pools match the image's dimensions.
std::vector<int64_t> DrawInts(Random& random, const AttrSchema& attr, const AttrStyle& style) {
  const bool window = attr.name.find("size") != std::string::npos || attr.name == "strides" ||
                      attr.name == "rates" || attr.name == "dilations";
  std::vector<int64_t> list;
  if (window) {
    const int64_t rank = attr.has_minimum ? attr.minimum : random.Percent(80) ? 4 : 5;
    for (int64_t i = 0; i < rank; ++i) {
      list.push_back(i == 0 || i == rank - 1 ? 1 : random.In(1, 3));
    }
    if (random.Percent(20)) std::swap(list[1], list.back());
  } else {
    const int64_t size = (attr.has_minimum ? attr.minimum : 0) + random.Below(5);
    for (int64_t i = 0; i < size; ++i) list.push_back(random.In(-1, 4));
  }
  for (int64_t& v : list) {
    if (random.Percent(style.hostile_percent / 2)) v = HostileInt(random);
  }
  if (random.Percent(style.hostile_percent / 3)) list.resize(random.Pick({0, 1, 3, 7, 300}), 1);
  return list;
}

std::string DrawText(Random& random, const AttrSchema& attr, const AttrStyle& style) {
  if (!attr.allowed_strings.empty() && !random.Percent(style.hostile_percent / 5)) {
    return random.Pick(attr.allowed_strings);
  }
  if (attr.name == "equation") {
    return random.Pick({"ij,jk->ik", "ij->ji", "ii->i", "i,i->", "...ij,...jk->...ik",
                        "ij,kl->ijkl", "i->", "ab,ab->ab", "...->...", "ij", "i,,j", "->",
                        "aab->ab", "i.j->i"});
  }
  if (attr.name == "output_stream") return random.Pick({"stdout", "stderr", "log(info)", "file"});
  if (attr.name == "mode" || attr.name == "round_mode") {
    return random.Pick(
        {"MIN_COMBINED", "MIN_FIRST", "SCALED", "HALF_TO_EVEN", "HALF_AWAY_FROM_ZERO"});
  }
  if (attr.name == "align") {
    return random.Pick({"LEFT_LEFT", "LEFT_RIGHT", "RIGHT_LEFT", "RIGHT_RIGHT"});
  }
  return random.Percent(60) ? std::string(random.Pick({"", "a", "name", "RELU", "%s"}))
                            : DrawString(random);
}

FunctionRef DrawFunction(Random& random, std::string_view attr) {
  FunctionRef ref;
  ref.name = attr == "cond" ? "small" : random.Pick({"twice", "same", "twice", "sum", "missing"});
  ref.attrs = std::make_shared<AttrMap>();
  return ref;
}

}  // namespace

DType DrawDType(Random& random, const std::vector<DType>& allowed) {
  if (!allowed.empty()) return random.Pick(allowed);
  if (random.Percent(40)) return kFloat;
  return random.Pick({kFloat,         kDouble,         kInt32,          kInt64,
                      kInt32,         kString,         kBool,           kHalf,
                      kBFloat16,      kUInt8,          kInt8,           kInt16,
                      kUInt16,        kUInt32,         kUInt64,         kComplex64,
                      kComplex128,    DType::kQInt8,   DType::kQUInt8,  DType::kQInt32,
                      DType::kQInt16, DType::kQUInt16, DType::kVariant, DType::kResource});
}

Attr DrawAttr(Random& random, const OpSchema& schema, const AttrSchema& attr,
              const AttrStyle& style) {
  const auto listed = [&]<class T>(auto draw, std::vector<T> list) {
    const int64_t least = attr.has_minimum ? std::max<int64_t>(attr.minimum, 0) : 0;
    const int64_t size = std::min<int64_t>(least, 8) + random.Below(3);
    for (int64_t i = 0; i < size; ++i) list.push_back(draw());
    return Attr(std::move(list));
  };
  const std::string& type = attr.type;
  if (type == "int") return DrawInt(random, schema, attr, style);
  if (type == "list(int)") return DrawInts(random, attr, style);
  if (type == "bool") return random.Percent(50);
  if (type == "string") return DrawText(random, attr, style);
  if (type == "type") return DrawDType(random, attr.allowed_types);
  if (type == "shape") return DrawPartialShape(random);
  if (type == "func") return DrawFunction(random, attr.name);
  if (type == "float") {
    return static_cast<float>(random.Percent(style.hostile_percent) ? HostileNumber(random)
                                                                    : random.Unit() * 4 - 1);
  }
  if (type == "tensor") {
    const DType dtype = DrawDType(random, {kFloat, kInt32, kString, kBool, kHalf});
    auto tensor = DrawTensor(random, dtype, DrawShape(random), DrawValuesKind(random));
    return tensor.ok() ? Attr(*std::move(tensor)) : Attr(Tensor(1.0f));
  }
  if (type == "list(type)") {
    return listed([&] { return DrawDType(random, attr.allowed_types); }, std::vector<DType>());
  }
  if (type == "list(float)") {
    return listed([&] { return static_cast<float>(random.Unit()); }, std::vector<float>());
  }
  if (type == "list(shape)") {
    return listed([&] { return DrawPartialShape(random); }, std::vector<Shape>());
  }
  if (type == "list(string)") {
    return listed([&] { return DrawString(random); }, std::vector<std::string>());
  }
  if (type == "list(func)") {
    return listed([&] { return DrawFunction(random, ""); }, std::vector<FunctionRef>());
  }
  return listed([&] { return random.Percent(50); }, std::vector<bool>());
}

AttrMap DrawAttrs(Random& random, const OpSchema& schema, DType dtype, const AttrStyle& style) {
  AttrMap attrs;
  for (const AttrSchema& attr : schema.attrs) {
    if (attr.has_default && random.Percent(style.default_percent)) {
      attrs.Set(attr.name, attr.default_value);
      continue;
    }
    Attr value = DrawAttr(random, schema, attr, style);
    const auto& allowed = attr.allowed_types;
    const bool fits = allowed.empty() || std::ranges::find(allowed, dtype) != allowed.end();
    if (attr.type == "type" && fits && random.Percent(85)) value = dtype;
    // The library's functions take and return one float.
    if (attr.type == "list(type)" && random.Percent(70) && attr.allowed_types.empty()) {
      const bool calls = std::ranges::any_of(schema.attrs, [](const AttrSchema& a) {
        return a.type == "func" || a.type == "list(func)";
      });
      if (calls) value = std::vector<DType>{kFloat};
    }
    attrs.Set(attr.name, std::move(value));
  }
  return attrs;
}

}  // namespace ramet::fuzz
