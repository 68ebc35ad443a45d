// What an algorithm is: one plain function per kernel that says what one CTA does, and rows of data for the
// rest.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/arch.h"
#include "sim/problem.h"

namespace tilewalk {

class Cta;
class Emitter;
struct Counts;

enum class Axis : std::uint8_t { one, d, q, kv };     // what a side of a tensor or tile runs over
enum class StoredAs : std::uint8_t { problem, f32 };  // the problem's dtype, or always f32
enum class Order : std::uint8_t { ascending, descending };

struct Tiling {
  std::int64_t block_q = 64, block_kv = 64;
  Order order = Order::ascending;  // of the key blocks
};

// A tensor that the algorithm knows. Its home is where it lives for the whole run: S and P of a fused
// algorithm have their home in registers.
struct TensorRow {
  std::string_view name;
  Axis rows, cols;
  StoredAs type;
  std::string_view home;
  bool counted = true;  // false: moves, but the source of the algorithm leaves it out of its byte counts
};

// A buffer of one CTA.
struct TileRow {
  std::string_view name, tensor;
  Axis rows, cols;
  StoredAs type;
  std::string_view level;
  bool watched = false;  // recorded after each tile of the score matrix, and compared
};

enum class Grid : std::uint8_t { per_q_block, per_head };

using Schedule = void (*)(const Cta&, Emitter&);

struct LaunchRow {
  std::string_view name;
  Schedule schedule;
  Grid grid;
  Axis outer;  // what the outer of the two loops runs over
  std::span<const TileRow> tiles;
};

// A kernel launch. The tiling is the run's, except where a kernel needs another (a softmax over whole rows).
struct Launch {
  const LaunchRow* row;
  Tiling tiling;
};

// Bytes over HBM in closed form. `formula` is in the words of REFERENCE: elements, N, d, Tr, Tc. No value
// where there is no closed form (masks that skip tiles).
struct Theory {
  bool known = false;
  double hbm_bytes = 0;
  std::string formula;
};

struct Algorithm {
  std::string_view name, title, paper, file;
  bool softmax;  // false: O = (scale Q K^T) V
  std::span<const TensorRow> tensors;
  std::vector<Launch> (*launches)(const Problem&, const Tiling&, const Arch&);
  Theory (*theory)(const Problem&, const Tiling&);
  std::span<const std::string_view> faults;
  std::string_view remark;  // what a reader of its numbers must know
};

std::span<const Algorithm* const> algorithms();
const Algorithm& algorithm_named(std::string_view name);  // throws RequestError with the nearest name
std::vector<std::string_view> algorithm_names();

// The rows of the table, one a file of sim/algorithms/.
extern const Algorithm standard, standard_nosoftmax, fused_nosoftmax, flash1, flash1_fig2, flash2;

}  // namespace tilewalk
