#include "lessons/expression.h"

#include <algorithm>
#include <cmath>

#include "sim/error.h"
#include "sim/parse.h"

namespace tilewalk {
namespace {

struct Function {
  std::string_view name;
  std::size_t arguments;
  double (*apply)(double, double);
};

// Operators first, in the order of their binding, loosest first; `level` below.
constexpr Function functions[] = {
    {"or", 2, [](double a, double b) { return double(a != 0 || b != 0); }},
    {"and", 2, [](double a, double b) { return double(a != 0 && b != 0); }},
    {"not", 1, [](double a, double) { return double(a == 0); }},
    {"<=", 2, [](double a, double b) { return double(a <= b); }},
    {">=", 2, [](double a, double b) { return double(a >= b); }},
    {"==", 2, [](double a, double b) { return double(a == b); }},
    {"!=", 2, [](double a, double b) { return double(a != b); }},
    {"<", 2, [](double a, double b) { return double(a < b); }},
    {">", 2, [](double a, double b) { return double(a > b); }},
    {"+", 2, [](double a, double b) { return a + b; }},
    {"-", 2, [](double a, double b) { return a - b; }},
    {"*", 2, [](double a, double b) { return a * b; }},
    {"/", 2, [](double a, double b) { return a / b; }},
    {"negate", 1, [](double a, double) { return -a; }},
    {"^", 2, [](double a, double b) { return std::pow(a, b); }},
    {"ceil", 1, [](double a, double) { return std::ceil(a); }},
    {"floor", 1, [](double a, double) { return std::floor(a); }},
    {"round", 1, [](double a, double) { return std::round(a); }},
    {"abs", 1, [](double a, double) { return std::abs(a); }},
    {"sqrt", 1, [](double a, double) { return std::sqrt(a); }},
    {"exp", 1, [](double a, double) { return std::exp(a); }},
    {"log", 1, [](double a, double) { return std::log(a); }},
    {"log2", 1, [](double a, double) { return std::log2(a); }},
    {"min", 2, [](double a, double b) { return std::min(a, b); }},
    {"max", 2, [](double a, double b) { return std::max(a, b); }},
};

int function_named(std::string_view name) {
  for (std::size_t n = 0; n < std::size(functions); ++n) {
    if (functions[n].name == name) return static_cast<int>(n);
  }
  return -1;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Parser {
 public:
  using Node = Expression::Node;
  Parser(std::string_view text, std::vector<Node>& nodes) : text_(text), rest_(text), nodes_(nodes) {}

  void parse() {
    either();
    skip();
    if (!rest_.empty()) refuse("does not understand '" + shown(rest_) + "'");
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw RequestError("expression '" + shown(text_) + "': " + why);
  }
  void skip() { rest_.remove_prefix(std::min(rest_.size(), rest_.find_first_not_of(" \t"))); }
  bool take(std::string_view token) {
    skip();
    if (!rest_.starts_with(token)) return false;
    if (is_letter(token[0]) && rest_.size() > token.size() &&
        (is_letter(rest_[token.size()]) || is_digit(rest_[token.size()])))
      return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  std::size_t add(Node node) {
    if (nodes_.size() >= 1000) refuse("is too long");
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
  }
  std::size_t call(std::string_view name, std::vector<std::size_t> arguments) {
    Node node;
    node.kind = Node::Kind::call;
    node.function = function_named(name);
    node.arguments = std::move(arguments);
    return add(std::move(node));
  }
  // a (op b)*, of one level of binding.
  template <class F>
  std::size_t chain(F&& operand, std::initializer_list<std::string_view> operators) {
    std::size_t left = operand();
    while (true) {
      const auto found =
          std::find_if(operators.begin(), operators.end(), [&](auto token) { return take(token); });
      if (found == operators.end()) return left;
      const std::size_t right = operand();
      left = call(*found, {left, right});
    }
  }
  std::size_t either() {
    return chain([&] { return both(); }, {"or"});
  }
  std::size_t both() {
    return chain([&] { return negated(); }, {"and"});
  }
  std::size_t negated() {
    if (take("not")) return deeper([&] { return call("not", {negated()}); });
    return chain([&] { return sum(); }, {"<=", ">=", "==", "!=", "<", ">"});
  }
  std::size_t sum() {
    return chain([&] { return product(); }, {"+", "-"});
  }
  std::size_t product() {
    return chain([&] { return sign(); }, {"*", "/"});
  }
  std::size_t sign() {
    if (take("-")) return deeper([&] { return call("negate", {sign()}); });
    return power();
  }
  std::size_t power() {
    const std::size_t base = atom();
    if (!take("^")) return base;
    return deeper([&] { return call("^", {base, sign()}); });
  }
  template <class F>
  std::size_t deeper(F&& parse) {
    if (++depth_ > 50) refuse("is nested too deeply");
    const std::size_t node = parse();
    --depth_;
    return node;
  }
  std::size_t atom() {
    skip();
    if (rest_.empty()) refuse("ends too early");
    if (take("(")) {
      const std::size_t inner = deeper([&] { return either(); });
      if (!take(")")) refuse("lacks a ')'");
      return inner;
    }
    if (is_digit(rest_[0])) return number();
    if (is_letter(rest_[0])) return name();
    refuse("does not understand '" + shown(rest_) + "'");
  }
  std::size_t number() {
    double value = 0;
    const auto [end, error] = read_number(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{}) refuse("has a number that is too large");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    Node node;
    node.number = value;
    return add(std::move(node));
  }
  std::size_t name() {
    Node node;
    node.kind = Node::Kind::quantity;
    do {
      const auto end =
          std::find_if(rest_.begin(), rest_.end(), [](char c) { return !is_letter(c) && !is_digit(c); });
      node.quantity.path.emplace_back(rest_.begin(), end);
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.begin()));
      if (node.quantity.path.back().empty()) refuse("a name is missing after '.'");
    } while (rest_.starts_with(".") && (rest_.remove_prefix(1), true));
    const int function = node.quantity.path.size() == 1 ? function_named(node.quantity.path[0]) : -1;
    if (function >= 0 && take("(")) {
      node.kind = Node::Kind::call;
      node.function = function;
      node.arguments = list(")");
      if (node.arguments.size() != functions[function].arguments)
        refuse(node.quantity.path[0] + " takes " + std::to_string(functions[function].arguments) +
               " argument(s)");
    } else if (take("[")) {
      node.quantity.indexed = true;
      node.arguments = list("]");
    }
    return add(std::move(node));
  }
  std::vector<std::size_t> list(std::string_view end) {
    std::vector<std::size_t> nodes;
    do nodes.push_back(deeper([&] { return either(); }));
    while (take(","));
    if (!take(end)) refuse("lacks a '" + std::string(end) + "'");
    return nodes;
  }

  std::string_view text_, rest_;
  std::vector<Node>& nodes_;
  int depth_ = 0;
};

void join(std::vector<std::string>& all, const std::vector<std::string>& more) {
  for (const std::string& source : more) {
    if (std::find(all.begin(), all.end(), source) == all.end()) all.push_back(source);
  }
}

}  // namespace

std::string Quantity::text() const {
  std::string text;
  for (const std::string& word : path) text += (text.empty() ? "" : ".") + word;
  return text;
}

Expression Expression::parse(std::string_view text) {
  Expression expression;
  expression.text_ = text;
  Parser(text, expression.nodes_).parse();
  return expression;
}

Value Expression::evaluate(const Lookup& lookup) const {
  if (nodes_.empty()) throw RequestError("expression: is empty");
  return evaluate(nodes_.size() - 1, lookup);
}

Value Expression::evaluate(std::size_t n, const Lookup& lookup) const {
  const Node& node = nodes_[n];
  if (node.kind == Node::Kind::number) return {node.number, from_nowhere, {}};
  std::vector<double> numbers;
  Value result;
  for (const std::size_t argument : node.arguments) {
    const Value value = evaluate(argument, lookup);
    numbers.push_back(value.number);
    result.origins = result.origins | value.origins;
    join(result.sources, value.sources);
  }
  if (node.kind == Node::Kind::quantity) return lookup(node.quantity, numbers);
  numbers.resize(2);
  result.number = functions[node.function].apply(numbers[0], numbers[1]);
  return result;
}

}  // namespace tilewalk
