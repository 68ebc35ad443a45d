#include "cli/command.h"

namespace tilewalk {
namespace {

constexpr Command table[] = {
    {"list", "what can be named: algorithms, archs, kernels, lessons, faults, heads", add_list},
    {"run", "run one algorithm: bytes, FLOPs, time, and the output against float64", add_run},
    {"step", "step through a run in the terminal, forward and back", add_step},
    {"compare", "algorithms side by side on the same inputs", add_compare},
    {"sweep", "bytes against N, d, block size, SRAM, ...: table, CSV, SVG", add_sweep},
    {"trace", "write a run as text, or for Perfetto", add_trace},
    {"verify", "simulator against GPU kernel, tile by tile; live, or recorded runs", add_verify},
    {"gpu", "what GPU there is; run a kernel on it", add_gpu},
    {"lesson", "lessons: read and walk them, check your own, handouts, grades", add_lesson},
    {"view", "the viewer: watch tiles move; pictures without a window", add_view},
};

}  // namespace

std::span<const Command> commands() { return table; }

}  // namespace tilewalk
