// Events and places in words: the transcript.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/event.h"
#include "sim/plan.h"

namespace tilewalk {

// "load K 2 (64x64, 8192 B): hbm -> sram", "gemm s 1 2 (64x64x64)", "online_softmax s 1 2 (64x64)".
std::string describe(const Event& event, const Plan& plan);

// "kernel flash2, CTA 3, query block 3, key block 1".
std::string describe_place(const Event& event, const Plan& plan);
// The same of a place that is no event's.
std::string describe_place(const Plan& plan, std::uint8_t launch, std::int32_t cta, std::int32_t row,
                           std::int32_t col);

// Text of a schedule's source file, for lighting the current line. "" when there is none of that name.
std::string_view schedule_source(std::string_view file);

// FNV-1a, 64 bit: a trace's line numbers mean something only for the source with the same hash.
std::uint64_t source_hash(std::string_view text);

}  // namespace tilewalk
