#include "ramet/ops/training/twins.h"

#include <deque>

namespace ramet {
namespace {

// Stores the text of an argument or attr, which registrations only borrow.
const char* Kept(std::string text) {
  static std::deque<std::string>* const texts = new std::deque<std::string>;
  return texts->emplace_back(std::move(text)).c_str();
}

// Returns the op that `name` is a twin of.
const Op& OriginalOf(std::string_view name, std::string_view prefix) {
  return *OpRegistry::Global().Find(name.substr(prefix.size()));
}

std::string TypeOf(const ArgSchema& arg) {
  return arg.type_attr.empty() ? std::string(DTypeName(arg.type)) : arg.type_attr;
}

const char* Declaration(const AttrSchema& attr) {
  std::string type = attr.name == "T" ? "numbertype" : attr.type;
  if (attr.name == "Tindices") type = "{int32, int64}";
  if (attr.has_default) type += StrCat(" = ", attr.default_value);
  return Kept(StrCat(attr.name, ": ", type));
}

}  // namespace

OpBuilder SparseTwin(OpBuilder builder, std::string_view name, ShapeFn shape) {
  const Op& op = OriginalOf(name, "Sparse");
  const OpSchema& schema = op.schema();
  builder.KernelsOf(op).Shape(shape).Output("out: Ref(T)");
  for (const ArgSchema& arg : schema.inputs) {
    const bool is_gradient = arg.name == "grad" || arg.name == "delta";
    const std::string type = arg.is_ref ? StrCat("Ref(", TypeOf(arg), ")") : TypeOf(arg);
    builder.Input(Kept(StrCat(is_gradient ? "grad" : arg.name, ": ", type)));
    if (is_gradient) builder.Input("indices: Tindices");
  }
  for (const AttrSchema& attr : schema.attrs) {
    builder.Attr(Declaration(attr));
    if (attr.name == "T") builder.Attr("Tindices: {int32, int64}");
  }
  return builder.Doc(Kept(StrCat(
      "Updates the rows `indices` of var and its slots, one after another, by the rule of ",
      op.name(),
      ". grad has one row per index, with the shape of a row of var. Error: a variable is "
      "uninitialized (kFailedPrecondition) or is passed twice; an index is out of range; the "
      "shapes or dtypes do not match; a hyperparameter is not a scalar.")));
}

OpBuilder ResourceTwin(OpBuilder builder, std::string_view name) {
  const Op& op = OriginalOf(name, "Resource");
  builder.KernelsOf(op).Shape(op.shape_fn());
  for (const ArgSchema& arg : op.schema().inputs) {
    builder.Input(Kept(StrCat(arg.name, ": ", arg.is_ref ? "resource" : TypeOf(arg))));
  }
  for (const AttrSchema& attr : op.schema().attrs) builder.Attr(Declaration(attr));
  std::string doc = op.schema().doc;
  doc.insert(0, "For resource variables, passed as handles. ");
  return builder.Doc(Kept(std::move(doc)));
}

}  // namespace ramet
