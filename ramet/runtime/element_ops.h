#pragma once

#include <optional>

#include "ramet/runtime/fused_elementwise.h"
#include "ramet/runtime/fusion_builder.h"

namespace ramet {

// An ElementOp says how a FusedElementwise computes the output of a step.
struct ElementOp {
  enum class Form : uint8_t {
    kPart,   // by one part
    kSum,    // by additions of its inputs from left to right, which all are `part`
    kAlias,  // it is input 0
    kRead,   // it is the value of the resource variable that input 0 names
  };
  Form form = Form::kPart;
  FusedElementwise::Part part;  // without operands
  int num_operands = 1;         // inputs of the step
  int first_operand = 0;        // the input that is operand 0
  int given_input = -1;         // has the sizes of the result, or a value of its shape

  bool reduces() const {
    return part.instruction.kind == linalg::ElementInstruction::Kind::kReduce;
  }
  // Reports whether the result repeats the elements of a smaller operand or a constant.
  bool fills() const {
    return part.rule == FusedElementwise::ShapeRule::kSizes ||
           part.rule == FusedElementwise::ShapeRule::kMultiples ||
           part.rule == FusedElementwise::ShapeRule::kLike;
  }
  int num_parts() const {
    if (form == Form::kSum) return num_operands - 1;
    return form == Form::kPart ? 1 : 0;
  }
  // Returns the type of an operand.
  linalg::Type operand_type(int i) const {
    const bool is_condition =
        part.instruction.kind == linalg::ElementInstruction::Kind::kSelect && i == 0;
    return is_condition ? linalg::Type::kBool : part.instruction.type;
  }
};

// Returns null for steps that are not computed element by element, or not in types that
// FusedElementwise supports.
std::optional<ElementOp> ElementOpOf(const FusionBuilder& builder, const Step& step);

// Reports whether the shapes that are known before a run allow FusedElementwise to compute a step.
bool MayFuseShapes(const FusionBuilder& builder, const Step& step, const ElementOp& op);

// Reports whether a value of shape `made` may have the elements of a pass in which a step with an
// output of shape `read` reads it: as many, one, or one for each row.
bool MayShareBlocks(const Shape& made, const Shape& read);

}  // namespace ramet
