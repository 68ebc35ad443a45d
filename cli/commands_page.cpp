// Of a page: `view` is what it shows, and `run`, under Node, is what its numbers are compared by. The others
// would only make it longer to load.
#include "cli/command.h"

namespace tilewalk {
namespace {

constexpr Command table[] = {
    {"run", "run one algorithm: bytes, FLOPs, time, and the output against float64", add_run},
    {"view", "the viewer: watch tiles move; pictures without a window", add_view},
};

}  // namespace

std::span<const Command> commands() { return table; }

}  // namespace tilewalk
