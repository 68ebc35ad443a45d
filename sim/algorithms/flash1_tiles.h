// The buffers of one CTA of FlashAttention-1, which both of its countings use: everything in SRAM, as in the
// paper.
#pragma once

#include "sim/algorithms/common.h"

namespace tilewalk {

constexpr TileRow flash1_tiles[] = {tile_q,
                                    tile_k,
                                    tile_v,
                                    tile_scores("s", "S", StoredAs::f32, "sram"),
                                    tile_o("sram"),
                                    tile_vector("l", "l", "sram", watched),
                                    tile_vector("m", "m", "sram", watched),
                                    tile_vector("l_tile", "l_tile", "sram"),
                                    tile_vector("m_tile", "m_tile", "sram"),
                                    tile_vector("alpha", "alpha", "sram"),
                                    tile_vector("beta", "beta", "sram")};

}  // namespace tilewalk
