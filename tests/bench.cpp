// Speed of the simulator, as ratios in one run: `bench` prints each figure beside its goal. Not a test:
// machines are noisy.
#include <sys/wait.h>
#include <unistd.h>

#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <random>

#include "sim/run.h"
#include "sim/timeline.h"
#include "tests/plans.h"

using namespace tilewalk;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Spread {
  double least, median, most;
};

template <class F>
Spread timed(int repeats, F&& work) {
  std::vector<double> times;
  for (int n = 0; n < repeats; ++n) {
    const auto start = Clock::now();
    work(n);
    times.push_back(seconds_since(start));
  }
  std::sort(times.begin(), times.end());
  return {times.front(), times[times.size() / 2], times.back()};
}

// Bytes of memory in use by this process; 0 where the system does not say.
double memory_in_use() {
  std::ifstream file("/proc/self/statm");
  double pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * 4096;
}

// What a student would write.
float straightforward_attention(const Problem& p, const Inputs& in) {
  using M = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const M> q(in.q.data(), p.n_q, p.d), k(in.k.data(), p.n_kv, p.d),
      v(in.v.data(), p.n_kv, p.d);
  M s = p.scale * (q * k.transpose());
  s.colwise() -= s.rowwise().maxCoeff().eval();
  s = s.array().exp();
  s.array().colwise() /= s.rowwise().sum().array().eval();
  const M o = s * v;
  return o(0, 0);
}

Problem square(std::int64_t n, DType dtype) { return problem_of({n, n, 64}, dtype); }

void count_one(const char* what, const Problem& p, std::int64_t block) {
  std::uint64_t events = 0;
  const auto plan = plan_of("flash2", p, block, block);
  const Spread t = timed(5, [&](int) { events = count(plan).total.events; });
  std::printf("  %-28s %12llu events, median %.4f s (%.4f - %.4f), %.0f MB in use\n", what,
              static_cast<unsigned long long>(events), t.median, t.least, t.most, memory_in_use() / 1e6);
}

void counting() {
  std::printf("counting, flash2, d 64 (goal: N=65536 in 0.10 s and 32 MB for the whole process)\n");
  count_one("N=65536, 64x64", square(65536, DType::f16), 64);
  count_one("N=1048576, 128x128", square(1048576, DType::f16), 128);
  // A mask tells every query block apart: all of its tiles are walked.
  Problem p = square(65536, DType::f16);
  p.mask = Mask::causal();
  count_one("N=65536, 64x64, causal", p, 64);
  p = square(262144, DType::f16);
  p.mask = Mask::causal();
  count_one("N=262144, 128x128, causal", p, 128);
}

void values() {
  const Problem p = square(4096, DType::f32);
  const Inputs inputs = random_inputs(p, 0);
  std::printf(
      "values, N=4096 d=64 f32, 64x64 tiles, against straightforward Eigen (goal: flash2 1.0, flash1 and "
      "standard 2.0)\n");
  constexpr int rounds = 5;
  std::vector<double> eigen;
  std::map<std::string, std::vector<double>> ours;
  float sink = 0;
  for (int round = 0; round < rounds;
       ++round) {  // interleaved, so that a slow moment of the machine hits all
    eigen.push_back(timed(1, [&](int) { sink += straightforward_attention(p, inputs); }).median);
    for (const std::string name : {"flash2", "flash1", "standard"}) {
      const auto plan = plan_of(name, p, 64, 64);
      ours[name].push_back(timed(1, [&](int) { sink += execute(plan, inputs, {}, false).o[0]; }).median);
    }
  }
  for (const auto& [name, times] : ours) {
    std::vector<double> ratios;
    for (int n = 0; n < rounds; ++n) ratios.push_back(times[std::size_t(n)] / eigen[std::size_t(n)]);
    std::sort(ratios.begin(), ratios.end());
    std::printf("  %-9s %.3f times Eigen's (%.3f - %.3f)\n", name.c_str(), ratios[rounds / 2], ratios.front(),
                ratios.back());
  }
  std::sort(eigen.begin(), eigen.end());
  std::printf("  Eigen     %.3f s (%.3f - %.3f)%s\n", eigen[rounds / 2], eigen.front(), eigen.back(),
              sink == 0.25f ? " " : "");
}

void seek_in(const std::string& name, std::int64_t n) {
  const double before = memory_in_use();
  const Problem p = square(n, DType::f32);
  const Inputs inputs = random_inputs(p, 0);
  Timeline timeline(plan_of(name, p, 64, 64), &inputs);
  const Spread run = timed(1, [&](int) { timeline.prepare(); });
  std::mt19937_64 random(1);
  const Spread t = timed(300, [&](int) { timeline.seek(random() % (timeline.size() + 1)); });
  std::printf(
      "  N=%4d %-9s first run %.2f s; seek median %.2f ms, worst %.2f ms; %zu snapshots, %.0f MB held\n",
      int(n), name.c_str(), run.median, t.median * 1e3, t.most * 1e3, timeline.snapshots(),
      (memory_in_use() - before) / 1e6);
}

// In a process of its own, whose memory no other run has grown.
template <class F>
void alone(F&& work) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    work();
    std::fflush(stdout);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}

void seeking() {
  std::printf("random seeks, d 64 f32, 64x64 tiles, 300 each (goal: N=1024 5 ms; N=4096 16 ms, 256 MB)\n");
  for (const std::int64_t n : {1024, 4096}) {
    for (const std::string name : {"standard", "flash1", "flash2"}) alone([&] { seek_in(name, n); });
  }
  for (const std::string name : {"flash1", "flash2"}) {
    Timeline timeline(plan_of(name, square(65536, DType::f16), 64, 64));
    timeline.prepare();
    std::mt19937_64 random(1);
    const Spread t = timed(100, [&](int) { timeline.seek(random() % (timeline.size() + 1)); });
    std::printf("  N=65536 %-7s counting only: seek median %.2f ms, worst %.2f ms\n", name.c_str(),
                t.median * 1e3, t.most * 1e3);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto wanted = [&](const char* part) { return argc < 2 || std::strcmp(argv[1], part) == 0; };
  if (wanted("counting")) counting();
  if (wanted("values")) values();
  if (wanted("seeking")) seeking();
}
