// The tracer of the kernels: what was moved between global and shared memory, and what m, l and O are after
// each tile. Tracer<false> is empty: no instruction, register or parameter of it is left in the untraced
// build, which is the only one that is timed.
#pragma once

#include "gpu/trace_buffers.h"

namespace tilewalk::gpu {

// What one thread has moved of one tile: fed with the very address of each access, and nothing else.
template <bool On>
struct Moved;

template <>
struct Moved<false> {
  __device__ void add(const void*, unsigned) {}
};

template <>
struct Moved<true> {
  unsigned long long lowest = ~0ull, end = 0;
  unsigned bytes = 0;

  __device__ void add(const void* address, unsigned size) {
    const auto at = reinterpret_cast<unsigned long long>(address);
    lowest = min(lowest, at);
    end = max(end, at + size);
    bytes += size;
  }
};

template <bool On>
class Tracer;

template <>
class Tracer<false> {
 public:
  static constexpr bool on = false;
  __device__ void moved(const Moved<false>&, bool) {}
};

// Called by all threads of the CTA alike. Records are joined by atomics on the trace's own memory, so that
// the tracer adds no barrier: one that the kernel lacks must stay missing.
template <>
class Tracer<true> {
 public:
  static constexpr bool on = true;
  __device__ explicit Tracer(const TraceBuffers& buffers) : buffers_(buffers) {}

  // Joins what the threads have moved of one tile to the CTA's next record.
  __device__ void moved(const Moved<true>& mine, bool is_store) {
    const unsigned n = move_++;
    if (threadIdx.x == 0) buffers_.move_count[blockIdx.x] = move_;
    if (n >= buffers_.most_moves || mine.bytes == 0) return;
    MoveRecord* record = buffers_.moves + blockIdx.x * std::uint64_t{buffers_.most_moves} + n;
    atomicMin(reinterpret_cast<unsigned long long*>(&record->lowest), mine.lowest);
    atomicMax(reinterpret_cast<unsigned long long*>(&record->end), mine.end);
    atomicAdd(&record->bytes, mine.bytes);
    if (is_store) atomicOr(&record->is_store, 1u);
  }

  // The values kept from here on are those after tile (row, col) of the score matrix.
  __device__ void at_tile(int row, int col) {
    const unsigned n = tile_++;
    if (threadIdx.x == 0) buffers_.tile_count[blockIdx.x] = tile_;
    keeps_ = n < buffers_.most_tiles;
    place_ = blockIdx.x * std::uint64_t{buffers_.most_tiles} + n;
    if (keeps_ && threadIdx.x == 0) buffers_.tiles[place_] = {row, col};
  }

  // Element (r, c) of the kernel's quantity number `which`.
  __device__ void keep(int which, int r, int c, float value) {
    if (!keeps_) return;
    const KeptShape& shape = buffers_.shape;
    float* values = buffers_.values + place_ * shape.floats + shape.start[which];
    values[static_cast<std::uint64_t>(r) * shape.cols[which] + c] = value;
  }

 private:
  const TraceBuffers& buffers_;
  unsigned move_ = 0, tile_ = 0;
  std::uint64_t place_ = 0;
  bool keeps_ = false;
};

}  // namespace tilewalk::gpu
