#include <algorithm>
#include <deque>

#include "ramet/ops/training/rules.h"

namespace ramet {
namespace {

// Stores the text of an argument or attr, which registrations only borrow.
const char* Kept(std::string text) {
  static std::deque<std::string>* const texts = new std::deque<std::string>;
  return texts->emplace_back(std::move(text)).c_str();
}

}  // namespace

OpBuilder ResourceTwin(OpBuilder builder, std::string_view name) {
  const Op& op = *OpRegistry::Global().Find(name.substr(std::string_view("Resource").size()));
  const OpSchema& schema = op.schema();
  builder.KernelsOf(op).Shape(op.shape_fn());
  for (const ArgSchema& arg : schema.inputs) {
    const std::string type = arg.is_ref              ? "resource"
                             : arg.type_attr.empty() ? std::string(DTypeName(arg.type))
                                                     : arg.type_attr;
    builder.Input(Kept(StrCat(arg.name, ": ", type)));
  }
  for (const AttrSchema& attr : schema.attrs) {
    std::string type = attr.name == "T" ? "numbertype" : attr.type;
    if (attr.name == "Tindices") type = "{int32, int64}";
    if (attr.has_default) type += StrCat(" = ", attr.default_value);
    builder.Attr(Kept(StrCat(attr.name, ": ", type)));
  }
  std::string doc = schema.doc;
  doc.insert(0, "For resource variables, passed as handles. ");
  return builder.Doc(Kept(std::move(doc)));
}

}  // namespace ramet
