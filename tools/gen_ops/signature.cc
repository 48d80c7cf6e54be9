#include "signature.h"

#include <cctype>
#include <map>
#include <set>

namespace gen_ops {
namespace {

using ramet::ArgSchema;
using ramet::Attr;
using ramet::AttrSchema;
using ramet::OpSchema;
using ramet::StrCat;

// Converts a name to snake case ("DstT" -> "dst_t", "Tidx" -> "tidx") and appends "_" if it is a
// C++ keyword or a name that the generated code uses.
std::string CppName(const std::string& name) {
  static const std::set<std::string> reserved = {
      "and",      "bool",     "char",    "const", "default",  "delete", "do",     "double",
      "else",     "float",    "for",     "graph", "if",       "int",    "name",   "not",
      "op",       "operator", "options", "or",    "short",    "signed", "static", "switch",
      "template", "this",     "true",    "union", "unsigned", "where",  "while",  "xor"};
  std::string snake;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool upper = std::isupper(static_cast<unsigned char>(name[i]));
    const bool word = i > 0 && upper && std::islower(static_cast<unsigned char>(name[i - 1]));
    if (word) snake += '_';
    snake += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  return reserved.contains(snake) ? snake + "_" : snake;
}

const std::map<std::string, std::string>& CppTypes() {
  static const std::map<std::string, std::string> types = {
      {"string", "std::string"},
      {"int", "int64_t"},
      {"float", "float"},
      {"bool", "bool"},
      {"type", "DType"},
      {"shape", "Shape"},
      {"tensor", "Tensor"},
      {"func", "FunctionRef"},
      {"list(string)", "std::vector<std::string>"},
      {"list(int)", "std::vector<int64_t>"},
      {"list(float)", "std::vector<float>"},
      {"list(bool)", "std::vector<bool>"},
      {"list(type)", "std::vector<DType>"},
      {"list(shape)", "std::vector<Shape>"},
      {"list(tensor)", "std::vector<Tensor>"},
      {"list(func)", "std::vector<FunctionRef>"}};
  return types;
}

std::string Literal(const std::string& s) {
  std::string text = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') text += '\\';
    if (c == '\n') {
      text += "\\n";
    } else {
      text += c;
    }
  }
  return text + "\"";
}
std::string Literal(int64_t v) { return StrCat(v); }
std::string Literal(bool v) { return v ? "true" : "false"; }
std::string Literal(float v) {
  std::string text = StrCat(v);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text + "f";
}
std::string Literal(ramet::DType t) {
  return StrCat("static_cast<DType>(", static_cast<int>(t), ") /* ", ramet::DTypeName(t), " */");
}
std::string Literal(const ramet::Shape& shape) {
  if (shape.unknown_rank()) return "Shape::Unknown()";
  return StrCat("Shape{", ramet::StrJoin(shape.dims(), ", "), "}");
}

std::string Literal(const ramet::Tensor& t) {
  std::vector<int> bytes;
  for (uint8_t byte : t.flat<uint8_t>()) bytes.push_back(byte);
  return StrCat("Tensor::Vector<uint8_t>({", ramet::StrJoin(bytes, ", "), "})");
}

template <class T>
std::string ListLiteral(const std::vector<T>& values) {
  std::vector<std::string> items;
  for (const T& v : values) items.push_back(Literal(v));
  return StrCat("{", ramet::StrJoin(items, ", "), "}");
}
std::string ListLiteral(const std::vector<bool>& values) {
  std::vector<std::string> items;
  for (bool v : values) items.push_back(Literal(v));
  return StrCat("{", ramet::StrJoin(items, ", "), "}");
}

// The C++ text of an attr's default, or "" if gen_ops cannot write a default of its type.
std::string DefaultText(const Attr& value) {
  if (value.IsEmptyList()) return "{}";
  if (auto* v = value.get<std::string>()) return Literal(*v);
  if (auto* v = value.get<int64_t>()) return Literal(*v);
  if (auto* v = value.get<float>()) return Literal(*v);
  if (auto* v = value.get<bool>()) return Literal(*v);
  if (auto* v = value.get<ramet::DType>()) return Literal(*v);
  if (auto* v = value.get<ramet::Shape>()) return Literal(*v);
  if (auto* v = value.get<ramet::Tensor>()) return Literal(*v);
  if (auto* v = value.get<std::vector<std::string>>()) return ListLiteral(*v);
  if (auto* v = value.get<std::vector<int64_t>>()) return ListLiteral(*v);
  if (auto* v = value.get<std::vector<float>>()) return ListLiteral(*v);
  if (auto* v = value.get<std::vector<bool>>()) return ListLiteral(*v);
  if (auto* v = value.get<std::vector<ramet::DType>>()) return ListLiteral(*v);
  if (auto* v = value.get<std::vector<ramet::Shape>>()) return ListLiteral(*v);
  return "";
}

bool IsList(const ArgSchema& arg) {
  return !arg.number_attr.empty() || !arg.type_list_attr.empty();
}

std::set<std::string> AttrsToldByInputs(const OpSchema& schema) {
  std::set<std::string> told;
  for (const ArgSchema& arg : schema.inputs) {
    told.insert({arg.type_attr, arg.number_attr, arg.type_list_attr});
  }
  return told;
}

Parameter InputParameter(const ArgSchema& arg) {
  Parameter p{CppName(arg.name), arg.name, "const Input&", "", IsList(arg)};
  if (arg.is_ref) p.type = "const RefInput&";
  if (p.is_list) p.type = arg.is_ref ? "const std::vector<RefInput>&" : "const std::vector<Input>&";
  return p;
}

// Ops whose inputs are often all constants, which do not determine the graph.
bool AlsoWithGraph(const std::string& op) {
  static const std::set<std::string> ops = {
      "Fill", "LinSpace", "OneHot", "RandomStandardNormal", "RandomUniformInt", "Range"};
  return ops.contains(op);
}

// The default node names of the tf functions in Python, where they differ from the names of the
// ops.
std::string DefaultName(const std::string& op) {
  static const std::map<std::string, std::string> names = {
      {"ClipByValue", "clip_by_value"}, {"OneHot", "one_hot"},
      {"OnesLike", "ones_like"},        {"Range", "range"},
      {"ZerosLike", "zeros_like"},      {"BatchMatMulV2", "MatMul"}};
  auto it = names.find(op);
  return it == names.end() ? op : it->second;
}

}  // namespace

std::string Signature::ReturnType() const {
  if (outputs.empty()) return "Operation";
  if (outputs.size() == 1) return outputs[0].is_list ? "std::vector<Output>" : "Output";
  return OutputsType();
}

bool IsLeftOut(const std::string& op) {
  static const std::set<std::string> by_hand = {
      "Concat",        "ConcatV2",        "Const",  "Gather", "GatherV2", "Pack",
      "RandomShuffle", "RandomUniform",   "Split",  "SplitV", "Stack",    "Squeeze",
      "Transpose",     "TruncatedNormal", "Unpack", "While"};
  return op.starts_with('_') || by_hand.contains(op);
}

ramet::StatusOr<Signature> MakeSignature(const ramet::Op& op) {
  const OpSchema& schema = op.schema();
  Signature s;
  s.op = &op;
  static const std::set<std::string> classes = {"MutexLock", "Shape", "Variable"};
  s.function = classes.contains(op.name()) ? op.name() + "Op" : op.name();
  s.default_name = DefaultName(op.name());
  for (const ArgSchema& arg : schema.inputs) s.inputs.push_back(InputParameter(arg));
  for (const ArgSchema& arg : schema.outputs) {
    const bool list = IsList(arg);
    s.outputs.push_back(
        {CppName(arg.name), arg.name, list ? "std::vector<Output>" : "Output", "", list});
  }
  const std::set<std::string> told = AttrsToldByInputs(schema);
  for (const AttrSchema& attr : schema.attrs) {
    if (told.contains(attr.name)) continue;
    auto type = CppTypes().find(attr.type);
    const std::string text = attr.has_default ? DefaultText(attr.default_value) : "";
    if (type == CppTypes().end() || (attr.has_default && text.empty())) {
      return ramet::Unimplemented("op '", op.name(), "', attr '", attr.name, "': type ", attr.type,
                                  " or its default has no C++ form in gen_ops");
    }
    Parameter p{CppName(attr.name), attr.name, type->second, text};
    (attr.has_default ? s.options : s.required).push_back(p);
  }
  s.takes_graph = s.inputs.empty() || AlsoWithGraph(op.name());
  return s;
}

}  // namespace gen_ops
