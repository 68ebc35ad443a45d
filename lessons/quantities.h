// What a lesson's expressions may name. lessons/README.md lists it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "lessons/expression.h"
#include "lessons/lesson.h"
#include "lessons/shelf.h"

namespace tilewalk {

// Where an expression is evaluated: a step of a lesson. A quantity belongs to the step's first run at the
// step's position, or to the run that it begins with, at its end.
struct Scene {
  const Lesson& lesson;
  const LessonStep& step;
  Shelf& shelf;

  OpenRun& run(const std::string& name) const;
  OpenRun& first() const { return run(step.runs.at(0)); }
  std::uint64_t position() const { return first().position(step.at); }
};

// Throws RequestError for an unknown name, a value that is not there, a run without values.
Value quantity_of(const Quantity& quantity, std::span<const double> indices, const Scene& scene);

inline Lookup lookup_in(const Scene& scene) {
  return
      [&scene](const Quantity& q, std::span<const double> indices) { return quantity_of(q, indices, scene); };
}

// The tile of the score matrix that follows on the one at work there; nothing when the run ends with it.
std::optional<std::pair<std::int64_t, std::int64_t>> next_tile(OpenRun& run, std::uint64_t position);

}  // namespace tilewalk
