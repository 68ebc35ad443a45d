#!/usr/bin/env python3
"""Times flash2_mma beside PyTorch's scaled_dot_product_attention, in one process and in turn.

FLASH, CUDNN and MATH are its back ends. Usage, from the root of the repository, on a machine with a GPU:
    nvcc -std=c++17 -O3 -arch=sm_90 -I. gpu/bench_mma.cu gpu/flash2_mma.cu -shared -Xcompiler -fPIC -o libflash2_mma.so
    python3 gpu/bench_torch.py libflash2_mma.so [more.so ...] [--json out.json] [--repeats 30] [--f16]

Every cell has 16384 tokens and a hidden size of 2048: heads = 2048 / d, batch = 16384 / N. Inputs are random normals; three
sets are used in turn, each larger than the L2. Every contestant is timed once a round, by CUDA events; the table shows
medians and, in brackets, the distance between the quartiles in percent. TFLOP/s = 4 batch heads N^2 d / time, half if causal.
"""
import argparse
import ctypes
import json
import statistics
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

SETS = 3
SLOW = {"MATH": 6}  # so many rounds only


class Kernel:
    def __init__(self, path):
        self.call = ctypes.CDLL(path if "/" in path else "./" + path).tilewalk_flash2_mma
        self.call.restype = ctypes.c_char_p
        self.call.argtypes = [ctypes.c_void_p] * 5 + [ctypes.c_int64] * 6 + [ctypes.c_float, ctypes.c_int, ctypes.c_int,
                                                                              ctypes.c_void_p]

    def __call__(self, q, k, v, o, lse, causal):
        batch, heads, n, d = q.shape
        why = self.call(q.data_ptr(), k.data_ptr(), v.data_ptr(), o.data_ptr(), lse.data_ptr(), batch, heads, k.shape[1], n,
                        k.shape[2], d, d ** -0.5, int(causal), int(q.dtype == torch.bfloat16),
                        torch.cuda.current_stream().cuda_stream)
        if why:
            raise SystemExit(why.decode())
        return o


def backend(which):
    def call(q, k, v, o, lse, causal):
        with sdpa_kernel(which):
            return scaled_dot_product_attention(q, k, v, is_causal=causal)
    return call


def time_once(function, arguments):
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    function(*arguments)
    stop.record()
    return start, stop


def cell(contestants, d, n, causal, repeats, dtype, check):
    shape = (16384 // n, 2048 // d, n, d)
    sets = []
    for _ in range(SETS):
        q, k, v = (torch.randn(shape, device="cuda", dtype=dtype) for _ in range(3))
        sets.append((q, k, v, torch.empty_like(q), torch.empty(shape[:3], device="cuda"), causal))
    expected = contestants["FLASH"](*sets[0]).float()
    allowed = 2e-2 if dtype == torch.bfloat16 else 4e-3
    usable = {}
    for name, function in contestants.items():
        try:
            error = (function(*sets[0]).float() - expected).abs().max().item()
        except RuntimeError as why:
            print(f"{name}: {str(why).splitlines()[0]}", file=sys.stderr)
            continue
        if check and not error <= allowed:
            raise SystemExit(f"{name}: differs from FLASH by {error} at d={d} N={n} causal={causal}")
        usable[name] = function
    events = {name: [] for name in usable}
    for round_ in range(repeats + 3):
        for name, function in usable.items():
            if round_ >= SLOW.get(name, repeats) + 3:
                continue
            events[name].append(time_once(function, sets[round_ % SETS]))
    torch.cuda.synchronize()
    flop = 4 * shape[0] * shape[1] * n * n * d * (0.5 if causal else 1)
    result = {}
    for name, pairs in events.items():
        ms = [start.elapsed_time(stop) for start, stop in pairs[3:]]
        low, middle, high = statistics.quantiles(ms, n=4)
        result[name] = {"ms": middle, "tflops": flop / middle * 1e-9, "spread": (high - low) / middle * 100}
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs="+")
    parser.add_argument("--json")
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--f16", action="store_true", help="float16 instead of bfloat16")
    parser.add_argument("--no-check", action="store_true", help="do not compare results with FLASH's")
    parser.add_argument("--lengths", default="1024,2048,4096,8192,16384")
    options = parser.parse_args()
    dtype = torch.float16 if options.f16 else torch.bfloat16
    torch.manual_seed(0)
    contestants = {"FLASH": backend(SDPBackend.FLASH_ATTENTION), "CUDNN": backend(SDPBackend.CUDNN_ATTENTION),
                   "MATH": backend(SDPBackend.MATH)}
    for path in options.libraries:
        contestants[path.split("/")[-1].removeprefix("lib").removesuffix(".so")] = Kernel(path)
    ours = list(contestants)[3:]

    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {dtype}; TFLOP/s (spread %), then x FLASH")
    print(f"{'cell':22s}" + "".join(f"{name:>16s}" for name in contestants))
    rows = []
    for d in (64, 128):
        for causal in (False, True):
            for n in map(int, options.lengths.split(",")):
                result = cell(contestants, d, n, causal, options.repeats, dtype, not options.no_check)
                rows.append({"d": d, "n": n, "causal": causal, "results": result})
                flash = result["FLASH"]["tflops"]
                line = f"d {d:3d} {'causal' if causal else 'full':6s} N {n:5d} "
                for name in contestants:
                    if name not in result:
                        line += f"{'-':>16s}"
                        continue
                    r = result[name]
                    text = f"{r['tflops']:.0f}({r['spread']:.0f})"
                    if name != "FLASH":
                        text += f" {r['tflops'] / flash:.3f}"
                    line += f"{text:>16s}"
                print(line, flush=True)
    for name in ours:
        ratios = [row["results"][name]["tflops"] / row["results"]["FLASH"]["tflops"] for row in rows]
        print(f"{name}: worst {min(ratios):.3f} of FLASH, median {statistics.median(ratios):.3f}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"device": torch.cuda.get_device_name(), "torch": torch.__version__, "dtype": str(dtype), "rows": rows},
                      file, indent=1)


if __name__ == "__main__":
    main()
