#include "sim/emitter.h"

#include "sim/error.h"
#include "sim/fault.h"

namespace tilewalk {

Emitter::Emitter(const Plan& plan, std::size_t launch, std::int64_t cta, Sink sink)
    : plan_(plan),
      kernel_(plan.kernels[launch]),
      tiles_(kernel_.tiles.data()),
      broken_(plan.config.fault != nullptr),
      sink_(sink) {
  base_.launch = static_cast<std::uint8_t>(launch);
  base_.cta = static_cast<std::int32_t>(cta);
  at(none, none);
}

TensorRef Emitter::tensor(std::string_view name) const {
  const int found = plan_.tensors.find(name);
  if (found < 0)
    throw ScheduleError("no tensor " + std::string(name) + " in " + std::string(plan_.algorithm().name));
  return {static_cast<std::uint8_t>(found), plan_.tensors[static_cast<std::size_t>(found)].rows};
}

TileRef Emitter::alloc(std::string_view name, int line) {
  const int found = kernel_.find(name);
  if (found < 0)
    throw ScheduleError("no tile " + std::string(name) + " in kernel " + std::string(kernel_.row->name));
  const Tile& tile = tiles_[found];
  const TileRef ref{static_cast<TileHandle>(found)};
  Event e = event(Op::alloc, line, {ref});
  e.to = static_cast<std::uint8_t>(tile.level);
  e.rows = static_cast<std::int32_t>(tile.most_rows);
  e.cols = static_cast<std::int32_t>(tile.most_cols);
  emit(e);
  return ref;
}

void Emitter::free(std::initializer_list<TileRef> tiles, int line) {
  for (const TileRef tile : tiles) {
    Event e = event(Op::free, line, {tile});
    e.from = static_cast<std::uint8_t>(tiles_[tile.handle].level);
    emit(e);
  }
}

void Emitter::fill(TileRef tile, FillWith value, int line) {
  Event e = tile_event(Op::fill, line, {tile});
  if (value == FillWith::minus_infinity) e.flags = flag::minus_infinity;
  emit(e);
}

void Emitter::emit_broken(Event e) const {
  const int copies = plan_.config.fault->copies(e, plan_);
  for (int n = 0; n < copies; ++n) sink_(e);
}

void run_cta(const Plan& plan, std::size_t launch, std::int64_t cta, Sink sink) {
  Emitter emitter(plan, launch, cta, sink);
  plan.kernels[launch].row->schedule(Cta(plan, plan.kernels[launch], cta), emitter);
}

}  // namespace tilewalk
