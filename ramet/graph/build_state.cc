#include "ramet/graph/build_state.h"

#include <algorithm>

#include "ramet/graph/control_flow_context.h"

namespace ramet {

BuildState::BuildState() = default;
BuildState::~BuildState() = default;

void BuildState::PushControls(ControlScope scope) {
  if (scope.clears) scope.left = std::exchange(control_flow.current, nullptr);
  controls.push_back(std::move(scope));
}

void BuildState::PopControls() {
  if (controls.back().clears) control_flow.current = controls.back().left;
  controls.pop_back();
}

std::vector<Operation> BuildState::ControlsFor(const std::vector<Output>& inputs) const {
  size_t first = controls.size();
  while (first > 0 && !controls[first - 1].clears) --first;
  std::vector<Operation> found;
  for (size_t s = first; s < controls.size(); ++s) {
    const ControlScope& scope = controls[s];
    auto inside = [&](const Output& in) {
      const auto id = static_cast<size_t>(in.op().id() - scope.first_inside);
      return in.op().id() >= scope.first_inside && id < scope.made_inside.size() &&
             scope.made_inside[id];
    };
    if (std::ranges::any_of(inputs, inside)) continue;
    for (const Operation& c : scope.controllers) {
      auto feeds = [&](const Output& in) { return in.op() == c; };
      if (std::ranges::any_of(inputs, feeds) || std::ranges::count(found, c) > 0) continue;
      found.push_back(c);
    }
  }
  return found;
}

void BuildState::NoteUnderControls(const Operation& op) {
  for (auto it = controls.rbegin(); it != controls.rend() && !it->clears; ++it) {
    if (it->made_inside.empty()) it->first_inside = op.id();
    const auto id = static_cast<size_t>(op.id() - it->first_inside);
    if (it->made_inside.size() <= id) it->made_inside.resize(id + 1);
    it->made_inside[id] = true;
  }
}

}  // namespace ramet
