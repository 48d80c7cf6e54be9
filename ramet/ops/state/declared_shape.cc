#include "ramet/ops/state/declared_shape.h"

namespace ramet {
namespace {

constexpr std::string_view kContainer = "declared shapes";

class ShapeResource final : public Resource {
 public:
  explicit ShapeResource(Shape shape) : shape_(std::move(shape)) {}
  std::string_view type_name() const override { return "declared shape"; }
  const Shape& shape() const { return shape_; }

 private:
  const Shape shape_;
};

// Returns a key that is unique even if variables of several containers have the same name; their
// states live as long as the session.
std::string KeyOf(const VariableState& variable) {
  return StrCat(variable.name(), "@", reinterpret_cast<uintptr_t>(&variable));
}

}  // namespace

void DeclareShape(ResourceStore& resources, const VariableState& variable, const Shape& shape) {
  resources.FindOrCreate(kContainer, KeyOf(variable),
                         [&] { return std::make_shared<ShapeResource>(shape); });
}

std::optional<Shape> DeclaredShape(const ResourceStore& resources, const VariableState& variable) {
  auto found =
      std::dynamic_pointer_cast<ShapeResource>(resources.Find(kContainer, KeyOf(variable)));
  return found ? std::optional<Shape>(found->shape()) : std::nullopt;
}

}  // namespace ramet
