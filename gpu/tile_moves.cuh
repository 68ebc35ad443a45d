// Tiles in shared memory, and the only code of the scalar rungs that touches tensors in global memory: an
// access and its record are one function.
#pragma once

#include "gpu/numbers.cuh"
#include "gpu/tracer.cuh"

namespace tilewalk::gpu {

// A buffer in shared memory of rows x cols elements; rows start `stride` elements apart.
template <typename T>
struct Tile {
  T* data;
  int rows, cols, stride;
  __device__ T& operator()(int r, int c) const { return data[r * stride + c]; }
};

// Valid elements of a tensor in global memory: rows x cols, rows `stride` elements apart.
template <typename T>
struct Place {
  T* start;
  int rows, cols;
  std::int64_t stride;
  __device__ T* at(int r, int c) const { return start + r * stride + c; }
};

// Past the L1 (.cg): a tile is used from shared memory, so the L1 would keep what nobody asks for again. And
// what another thread of this CTA stored earlier is in the L2, not in the L1.
template <bool On, typename T>
__device__ T fetch(const T* address, Moved<On>& moved) {
  moved.add(address, sizeof(T));
  return __ldcg(address);
}

template <bool On, typename T>
__device__ void put(T* address, T value, Moved<On>& moved) {
  moved.add(address, sizeof(T));
  __stcg(address, value);
}

// The valid part of `from` into `to`; the rest of the tile becomes zeros. A barrier must follow before other
// threads read the tile.
template <bool On, typename T>
__device__ void load_tile(Tracer<On>& tracer, const Tile<T>& to, const Place<const T>& from) {
  Moved<On> moved;
  for (int n = threadIdx.x; n < to.rows * to.cols; n += blockDim.x) {
    const int r = n / to.cols, c = n % to.cols;
    T value = from_float<T>(0.0f);
    if (r < from.rows && c < from.cols) value = fetch(from.at(r, c), moved);
    to(r, c) = value;
  }
  tracer.moved(moved, false);
}

// The other way, rounded to the tensor's type.
template <bool On, typename T, typename U>
__device__ void store_tile(Tracer<On>& tracer, const Place<T>& to, const Tile<U>& from) {
  Moved<On> moved;
  for (int n = threadIdx.x; n < to.rows * to.cols; n += blockDim.x) {
    const int r = n / to.cols, c = n % to.cols;
    put(to.at(r, c), from_float<T>(to_float(from(r, c))), moved);
  }
  tracer.moved(moved, true);
}

// Keeps a tile as the kernel's quantity number `which`.
template <typename T>
__device__ void keep_tile(Tracer<true>& tracer, int which, const Tile<T>& tile, int rows, int cols) {
  for (int n = threadIdx.x; n < rows * cols; n += blockDim.x) {
    tracer.keep(which, n / cols, n % cols, to_float(tile(n / cols, n % cols)));
  }
}

}  // namespace tilewalk::gpu
