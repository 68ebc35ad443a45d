// What a sweep found, as a table, CSV, SVG and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/run_json.h"
#include "sim/run.h"

namespace tilewalk {

// What a sweep can vary: a flag, with its name as a variable and on an axis.
struct SweepVariable {
  std::string_view name;
  const char* flag;
  Flag RunFlags::*member;
  const char *title, *unit;
};
// One algorithm at one value: its run, or why there is none.
struct SweepPoint {
  std::int64_t value;
  const Algorithm* algorithm;
  std::optional<Run> run;
  Request request;
  std::string why;
};

struct Sweep {
  const SweepVariable* variable;
  std::vector<std::int64_t> values;
  std::vector<const Algorithm*> algorithms;
  std::vector<SweepPoint> points;  // value by value, and in each the algorithms in order

  const SweepPoint& at(std::size_t value, std::size_t algorithm) const {
    return points[value * algorithms.size() + algorithm];
  }
};

std::string sweep_text(const Sweep& sweep);

// One line a point; the columns of a point that does not fit are empty, and the last says why.
std::string sweep_csv(const Sweep& sweep);

// A chart of HBM bytes, with closed forms where they say something else.
std::string sweep_svg(const Sweep& sweep);

Json sweep_json(const Sweep& sweep);

}  // namespace tilewalk
