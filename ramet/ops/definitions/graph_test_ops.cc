#include "ramet/op/hidden_op.h"
#include "ramet/op/op.h"

// The ops that TensorFlow's binaries register for tests of graphs, importers and op definitions.
// Programs that build graphs of such nodes by name find the definitions that they expect.

namespace ramet {
namespace {

// Registers an op without a kernel and with outputs of unknown shape.
#define RAMET_GRAPH_TEST_OP(name)                                          \
  static const HiddenOp RAMET_CONCAT(ramet_hidden_op_, __COUNTER__)(name); \
  RAMET_OP(name).Doc("An op without a kernel, for tests of graphs.").Shape(UnknownShape)

RAMET_GRAPH_TEST_OP("A").Output("out: float");
RAMET_GRAPH_TEST_OP("B").Output("out: float");
RAMET_GRAPH_TEST_OP("Attr").Attr("a: int");
RAMET_GRAPH_TEST_OP("AttrBool").Attr("a: bool");
RAMET_GRAPH_TEST_OP("AttrBoolList").Attr("a: list(bool)");
RAMET_GRAPH_TEST_OP("AttrDefault").Attr("a: string = 'banana'");
RAMET_GRAPH_TEST_OP("AttrEmptyListDefault").Attr("a: list(float) = []");
RAMET_GRAPH_TEST_OP("AttrEnum").Attr("a: {'apples', 'oranges'}");
RAMET_GRAPH_TEST_OP("AttrEnumList").Attr("a: list({'apples', 'oranges'})");
RAMET_GRAPH_TEST_OP("AttrFloat").Attr("a: float");
RAMET_GRAPH_TEST_OP("AttrListDefault").Attr("a: list(int) = [5, 15]");
RAMET_GRAPH_TEST_OP("AttrListMin").Attr("a: list(int) >= 2");
RAMET_GRAPH_TEST_OP("AttrListTypeDefault")
    .Input("a: N * T")
    .Input("b: N * T")
    .Attr("T: type = DT_INT32")
    .Attr("N: int >= 1");
RAMET_GRAPH_TEST_OP("AttrMin").Attr("a: int >= 5");
RAMET_GRAPH_TEST_OP("AttrPartialShape").Attr("a: shape");
RAMET_GRAPH_TEST_OP("AttrPartialShapeList").Attr("a: list(shape)");
RAMET_GRAPH_TEST_OP("AttrShape").Attr("a: shape");
RAMET_GRAPH_TEST_OP("AttrShapeList").Attr("a: list(shape)");
RAMET_GRAPH_TEST_OP("AttrTypeDefault").Input("a: T").Attr("T: type = DT_INT32");
RAMET_GRAPH_TEST_OP("Binary").Input("a: T").Input("b: T").Output("out: T").Attr("T: type");
RAMET_GRAPH_TEST_OP("ComplexStruct")
    .Output("a: n_a * int32")
    .Output("b: n_b * int64")
    .Output("c: t_c")
    .Attr("n_a: int >= 0")
    .Attr("n_b: int >= 0")
    .Attr("t_c: list(type) >= 0");
RAMET_GRAPH_TEST_OP("DevicePlacementOp").Output("device: string").Stateful();
RAMET_GRAPH_TEST_OP("DtypeWithDefaultOp")
    .Input("in: T")
    .Output("dtype: string")
    .Attr("T: type = DT_UINT8")
    .Stateful();
RAMET_GRAPH_TEST_OP("FiveFloatOutputs")
    .Output("a: float")
    .Output("b: float")
    .Output("c: float")
    .Output("d: float")
    .Output("e: float");
RAMET_GRAPH_TEST_OP("FloatInput").Input("a: float");
RAMET_GRAPH_TEST_OP("FloatOutput").Output("a: float");
RAMET_GRAPH_TEST_OP("FloatOutputStringOutput").Output("a: float").Output("b: string");
RAMET_GRAPH_TEST_OP("Foo1")
    .Input("a: float")
    .Input("b: int32")
    .Input("c: int32")
    .Output("d: float")
    .Output("e: int32");
RAMET_GRAPH_TEST_OP("Foo2")
    .Input("a: float")
    .Input("b: string")
    .Input("c: string")
    .Output("d: float")
    .Output("e: int32");
RAMET_GRAPH_TEST_OP("Foo3")
    .Input("a: float")
    .Input("b: string")
    .Input("c: float")
    .Output("d: float")
    .Output("e: int32");
RAMET_GRAPH_TEST_OP("FuncAttr").Attr("f: func");
RAMET_GRAPH_TEST_OP("FuncListAttr").Attr("f: list(func)");
RAMET_GRAPH_TEST_OP("InPolymorphicTwice")
    .Input("a: N * T")
    .Input("b: M * T")
    .Attr("T: type = DT_INT32")
    .Attr("N: int >= 0")
    .Attr("M: int >= 0");
RAMET_GRAPH_TEST_OP("Int64Output").Output("out: int64");
RAMET_GRAPH_TEST_OP("IntAttr").Output("out: int64").Attr("foo: int = 1");
RAMET_GRAPH_TEST_OP("IntInput").Input("a: int32");
RAMET_GRAPH_TEST_OP("IntInputFloatInput").Input("a: int32").Input("b: float");
RAMET_GRAPH_TEST_OP("IntInputIntOutput").Input("a: int32").Output("b: int32");
RAMET_GRAPH_TEST_OP("IntOutput").Output("a: int32");
RAMET_GRAPH_TEST_OP("IntOutputFloatOutput").Output("a: int32").Output("b: float");
RAMET_GRAPH_TEST_OP("ListInput").Input("a: N * T").Attr("N: int >= 1").Attr("T: type");
RAMET_GRAPH_TEST_OP("ListOutput").Output("a: T").Attr("T: list(type) >= 1");
RAMET_GRAPH_TEST_OP("MixedStruct")
    .Output("a: n_a * int32")
    .Output("b: float")
    .Attr("n_a: int >= 0");
RAMET_GRAPH_TEST_OP("NInPolymorphicTwice")
    .Input("a: N * T")
    .Input("b: N * T")
    .Attr("T: type")
    .Attr("N: int >= 0");
RAMET_GRAPH_TEST_OP("NInTwice").Input("a: N * int32").Input("b: N * string").Attr("N: int >= 0");
RAMET_GRAPH_TEST_OP("NInTwoTypeVariables")
    .Input("a: N * S")
    .Input("b: N * T")
    .Attr("S: type")
    .Attr("T: type")
    .Attr("N: int >= 0");
RAMET_GRAPH_TEST_OP("NIntsIn").Input("a: N * int32").Attr("N: int >= 2");
RAMET_GRAPH_TEST_OP("NIntsOut").Output("a: N * int32").Attr("N: int >= 2");
RAMET_GRAPH_TEST_OP("NIntsOutDefault").Output("a: N * int32").Attr("N: int >= 2 = 3");
RAMET_GRAPH_TEST_OP("NPolymorphicIn").Input("a: N * T").Attr("T: type").Attr("N: int >= 2");
RAMET_GRAPH_TEST_OP("NPolymorphicOut").Output("a: N * T").Attr("T: type").Attr("N: int >= 2");
RAMET_GRAPH_TEST_OP("NPolymorphicOutDefault")
    .Output("a: N * T")
    .Attr("T: type = DT_BOOL")
    .Attr("N: int >= 2 = 2");
RAMET_GRAPH_TEST_OP("NPolymorphicRestrictIn")
    .Input("a: N * T")
    .Attr("T: {string, bool}")
    .Attr("N: int >= 2");
RAMET_GRAPH_TEST_OP("NPolymorphicRestrictOut")
    .Output("a: N * T")
    .Attr("T: {string, bool}")
    .Attr("N: int >= 2");
RAMET_GRAPH_TEST_OP("None");
RAMET_GRAPH_TEST_OP("OpWithDefaultAttr").Output("a: int32").Attr("default_float: float = 123.0");
RAMET_GRAPH_TEST_OP("OpWithFutureDefaultAttr");
RAMET_GRAPH_TEST_OP("OutT").Output("a: T").Attr("T: type");
RAMET_GRAPH_TEST_OP("OutTypeList").Output("out: T").Attr("T: list(type) >= 0");
RAMET_GRAPH_TEST_OP("OutTypeListRestrict").Output("out: t").Attr("t: list({string, bool}) >= 1");
RAMET_GRAPH_TEST_OP("Polymorphic").Input("a: T").Output("out: T").Attr("T: type");
RAMET_GRAPH_TEST_OP("PolymorphicDefaultOut").Output("out: T").Attr("T: type = DT_STRING");
RAMET_GRAPH_TEST_OP("PolymorphicOut").Output("out: T").Attr("T: type");
RAMET_GRAPH_TEST_OP("RefIn").Input("a: Ref(T)").Attr("T: type");
RAMET_GRAPH_TEST_OP("RefInputFloatInput").Input("a: Ref(float)").Input("b: float");
RAMET_GRAPH_TEST_OP("RefInputFloatInputIntOutput")
    .Input("a: Ref(float)")
    .Input("b: float")
    .Output("c: int32");
RAMET_GRAPH_TEST_OP("RefInputIntInput").Input("a: Ref(int32)").Input("b: int32");
RAMET_GRAPH_TEST_OP("RefOut").Output("a: Ref(T)").Attr("T: type");
RAMET_GRAPH_TEST_OP("RefOutput").Output("a: Ref(int32)");
RAMET_GRAPH_TEST_OP("RefOutputFloatOutput").Output("a: Ref(float)").Output("b: float");
RAMET_GRAPH_TEST_OP("ReservedAttr").Attr("range: int");
RAMET_GRAPH_TEST_OP("ReservedInput").Input("input: int32");
RAMET_GRAPH_TEST_OP("Restrict").Input("a: T").Output("out: T").Attr("T: {string, bool}");
RAMET_GRAPH_TEST_OP("Simple").Input("a: int32").Output("out: float");
RAMET_GRAPH_TEST_OP("SimpleStruct").Output("a: n_a * int32").Attr("n_a: int >= 0");
RAMET_GRAPH_TEST_OP("StringListAttr").Attr("a: list(string)").Attr("b: string");
RAMET_GRAPH_TEST_OP("TestAttr").Output("out: T").Attr("T: {float, double}").Stateful();
RAMET_GRAPH_TEST_OP("TestStringOutput")
    .Input("input: float")
    .Output("output1: float")
    .Output("output2: string");
RAMET_GRAPH_TEST_OP("TwoFloatInputs").Input("a: float").Input("b: float");
RAMET_GRAPH_TEST_OP("TwoFloatInputsFloatOutput")
    .Input("a: float")
    .Input("b: float")
    .Output("c: float");
RAMET_GRAPH_TEST_OP("TwoFloatInputsIntOutput")
    .Input("a: float")
    .Input("b: float")
    .Output("c: int32");
RAMET_GRAPH_TEST_OP("TwoFloatOutputs").Output("a: float").Output("b: float");
RAMET_GRAPH_TEST_OP("TwoIntInputs").Input("a: int32").Input("b: int32");
RAMET_GRAPH_TEST_OP("TwoIntOutputs").Output("a: int32").Output("b: int32");
RAMET_GRAPH_TEST_OP("TwoRefsIn").Input("a: Ref(T)").Input("b: Ref(T)").Attr("T: type");
RAMET_GRAPH_TEST_OP("TypeList").Input("a: T").Attr("T: list(type) >= 0");
RAMET_GRAPH_TEST_OP("TypeListRestrict").Input("a: T").Attr("T: list({string, bool}) >= 1");
RAMET_GRAPH_TEST_OP("TypeListTwice").Input("a: T").Input("b: T").Attr("T: list(type) >= 0");
RAMET_GRAPH_TEST_OP("Unary").Input("a: T").Output("b: T").Attr("T: type");

}  // namespace
}  // namespace ramet
