#include "handles.h"

#include "values.h"

namespace ramet::fuzz {
namespace {

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Returns the element dtype of the op's handle.
DType ElementType(const DraftContext& c) {
  for (const char* name : {"dtype", "element_dtype", "elem_type", "T"}) {
    if (const Attr* attr = c.attrs.Find(name)) {
      if (const DType* t = attr->get<DType>()) return *t;
    }
  }
  return c.dtype;
}

// Returns a dtype that constants can have.
DType Plain(DType t) {
  const bool plain = t != DType::kResource && t != DType::kVariant && IsKnownDType(t) && !IsRef(t);
  return plain ? t : kFloat;
}

Tensor Element(DraftContext& c, DType dtype, const Shape& shape) {
  return DrawValue(c.random, Plain(dtype), shape, DrawValuesKind(c.random));
}

// Draws a shared name. Nodes with the same shared name, or without one, are the same variable.
std::string SharedName(DraftContext& c) {
  return c.random.Percent(3) ? "" : StrCat("v", c.draft.def().node_size());
}

std::string AddVariableHandle(DraftContext& c) {
  const DType dtype = ElementType(c);
  const bool known = c.random.Percent(70);
  const std::string handle = c.draft.Add("VarHandleOp", "variable", {},
                                         {{"dtype", dtype},
                                          {"shape", known ? c.base : Shape::Unknown()},
                                          {"shared_name", SharedName(c)}});
  if (c.random.Percent(95)) {
    const std::string value = AddValue(c, Element(c, dtype, c.base));
    c.before.push_back(
        c.draft.Add("AssignVariableOp", "assign", {handle, value}, {{"dtype", dtype}}));
  }
  return handle;
}

DType KeyType(const DraftContext& c) {
  for (const char* name : {"Tin", "Tkey", "Tkeys", "key_dtype"}) {
    if (const Attr* attr = c.attrs.Find(name); attr && attr->get<DType>()) {
      return *attr->get<DType>();
    }
  }
  return DType::kInt64;
}

DType ValueType(const DraftContext& c) {
  for (const char* name : {"Tout", "Tval", "Tvalues", "value_dtype"}) {
    if (const Attr* attr = c.attrs.Find(name); attr && attr->get<DType>()) {
      return *attr->get<DType>();
    }
  }
  return kString;
}

std::string AddTable(DraftContext& c, bool is_ref) {
  const bool once = Contains(c.op, "Initialize") || c.random.Percent(30);
  const std::string op = StrCat(once ? "HashTable" : "MutableHashTable", is_ref ? "" : "V2");
  const DType key = KeyType(c), value = ValueType(c);
  const std::string table =
      c.draft.Add(op, "table", {}, {{"key_dtype", key}, {"value_dtype", value}});
  if (Contains(c.op, "Initialize") || c.random.Percent(10)) return table;
  const Shape shape{c.random.In(0, 4)};
  const std::string keys = AddValue(c, Element(c, key, shape));
  const std::string values = AddValue(c, Element(c, value, shape));
  const std::string suffix = is_ref ? "" : "V2";
  c.before.push_back(once ? c.draft.Add("InitializeTable" + suffix, "fill", {table, keys, values},
                                        {{"Tkey", key}, {"Tval", value}})
                          : c.draft.Add("LookupTableInsert" + suffix, "fill", {table, keys, values},
                                        {{"Tin", key}, {"Tout", value}}));
  return table;
}

std::string AddStack(DraftContext& c, bool is_ref) {
  const DType dtype = ElementType(c);
  const std::string size = AddValue(c, Tensor(static_cast<int32_t>(c.random.In(-1, 4))));
  const std::string suffix = is_ref ? "" : "V2";
  const std::vector<std::string> inputs =
      is_ref ? std::vector<std::string>() : std::vector<std::string>{size};
  const std::string stack = c.draft.Add("Stack" + suffix, "stack", inputs, {{"elem_type", dtype}});
  for (int64_t i = c.random.Below(3); i > 0; --i) {
    const std::string value = AddValue(c, Element(c, dtype, DrawRelatedShape(c.random, c.base)));
    c.before.push_back(c.draft.Add("StackPush" + suffix, "push", {stack, value}, {{"T", dtype}}));
  }
  return stack;
}

std::string AddTensorArray(DraftContext& c, DType handle_type, bool is_ref) {
  const DType dtype = ElementType(c);
  const std::string suffix = is_ref ? "" : handle_type == kString ? "V2" : "V3";
  const int64_t size = c.random.In(0, 3);
  AttrMap attrs = {{"dtype", dtype}, {"dynamic_size", c.random.Percent(30)}};
  if (c.random.Percent(40)) {
    attrs.Set("element_shape", c.random.Percent(50) ? c.base : DrawPartialShape(c.random));
  }
  const Tensor length(static_cast<int32_t>(c.random.Percent(5) ? -1 : size));
  const std::string array =
      c.draft.Add("TensorArray" + suffix, "array", {AddValue(c, length)}, attrs);
  c.flow = suffix == "V3" ? array + ":1" : AddValue(c, Tensor(0.0f), "flow");
  for (int64_t i = 0; i < size && c.random.Percent(75); ++i) {
    const Shape shape = c.random.Percent(80) ? c.base : DrawRelatedShape(c.random, c.base);
    const std::string index = AddValue(c, Tensor(static_cast<int32_t>(i)));
    const std::string value = AddValue(c, Element(c, dtype, shape));
    c.flow = c.draft.Add("TensorArrayWrite" + suffix, "write", {array, index, value, c.flow},
                         {{"T", dtype}});
  }
  return array;
}

std::string AddList(DraftContext& c) {
  const DType dtype = ElementType(c);
  const bool known = c.random.Percent(50);
  const Tensor element_shape =
      known ? IntegersOf(kInt32, Shape{c.base.rank()}, {c.base.dims().begin(), c.base.dims().end()})
            : Tensor(static_cast<int32_t>(-1));
  const AttrMap attrs = {{"element_dtype", dtype}, {"shape_type", kInt32}};
  const std::string shape = AddValue(c, element_shape);
  const int64_t size = c.random.In(0, 3);
  if (c.random.Percent(30)) {
    const Shape whole = Shape{size}.Concatenate(c.base);
    return c.draft.Add("TensorListFromTensor", "list",
                       {AddValue(c, Element(c, dtype, whole)), shape}, attrs);
  }
  const Tensor length(static_cast<int32_t>(size));
  std::string list = c.draft.Add(c.random.Percent(50) ? "TensorListReserve" : "EmptyTensorList",
                                 "list", {shape, AddValue(c, length)}, attrs);
  for (int64_t i = c.random.Below(3); i > 0; --i) {
    const Shape one = c.random.Percent(80) ? c.base : DrawRelatedShape(c.random, c.base);
    list = c.draft.Add("TensorListPushBack", "push", {list, AddValue(c, Element(c, dtype, one))},
                       {{"element_dtype", dtype}});
  }
  return list;
}

}  // namespace

std::string AddValue(DraftContext& c, const Tensor& value, std::string_view name) {
  if (c.random.Percent(45)) return c.draft.Const(value, name);
  Shape shape = value.shape();
  if (c.random.Percent(40)) shape = Shape::Unknown();
  if (c.random.Percent(20)) {
    for (int i = 0; i < shape.rank(); ++i) {
      if (c.random.Percent(50)) shape.set_dim(i, Shape::kUnknownDim);
    }
  }
  return c.draft.Fed(value, shape, name);
}

std::string AddVariable(DraftContext& c, const Tensor& value) {
  const std::string handle = c.draft.Add(
      "VarHandleOp", "variable", {},
      {{"dtype", value.dtype()}, {"shape", value.shape()}, {"shared_name", SharedName(c)}});
  c.before.push_back(c.draft.Add("AssignVariableOp", "assign", {handle, AddValue(c, value)},
                                 {{"dtype", value.dtype()}}));
  return handle;
}

std::string AddReference(DraftContext& c, DType dtype, const Shape& shape) {
  const bool known = c.random.Percent(90);
  const std::string ref =
      c.draft.Add("VariableV2", "reference", {},
                  {{"dtype", dtype}, {"shape", known ? shape : Shape::Unknown()}});
  if (c.random.Percent(3)) return ref;
  const std::string value = AddValue(c, Element(c, dtype, shape));
  return c.draft.Add("Assign", "assigned", {ref, value}, {{"T", dtype}, {"validate_shape", known}});
}

std::string AddHandle(DraftContext& c, DType dtype, bool is_ref) {
  const int odd = c.random.Percent(4) ? static_cast<int>(c.random.Below(5)) : -1;
  if (odd == 0 || Contains(c.op, "TensorArray")) return AddTensorArray(c, dtype, is_ref);
  if (dtype == DType::kVariant) return AddList(c);
  if (odd == 1 || Contains(c.op, "Table")) return AddTable(c, is_ref);
  if (odd == 2 || Contains(c.op, "Stack")) return AddStack(c, is_ref);
  return AddVariableHandle(c);
}

}  // namespace ramet::fuzz
