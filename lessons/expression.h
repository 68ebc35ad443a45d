// Expressions of lessons, such as "flash2.hbm / standard.hbm" or "m[row] > before.m[row]".
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/value.h"

namespace tilewalk {

// A number that something else knows: dotted words, and numbers in brackets after them.
struct Quantity {
  std::vector<std::string> path;
  bool indexed = false;
  std::string text() const;  // "published.fa1.fig2"
};

// Throws RequestError when there is none of that name.
using Lookup = std::function<Value(const Quantity& quantity, std::span<const double> indices)>;

// Numbers, + - * / ^, comparisons and `and`, `or`, `not` (which give 1 or 0), brackets, quantities, and the
// functions ceil, floor, round, abs, sqrt, exp, log, log2, min, max.
class Expression {
 public:
  Expression() = default;
  static Expression parse(std::string_view text);  // throws RequestError

  Value evaluate(const Lookup& lookup) const;
  bool empty() const { return nodes_.empty(); }
  const std::string& text() const { return text_; }

  struct Node {
    enum class Kind : std::uint8_t { number, quantity, call } kind = Kind::number;
    double number = 0;
    Quantity quantity;
    int function = 0;                    // of a table in expression.cpp: operators are functions
    std::vector<std::size_t> arguments;  // indices of nodes; of a quantity: its indices
  };

 private:
  Value evaluate(std::size_t node, const Lookup& lookup) const;

  std::string text_;
  std::vector<Node> nodes_;  // the last is the root
};

}  // namespace tilewalk
