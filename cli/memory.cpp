#include "cli/memory.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

#include "sim/parse.h"

namespace tilewalk {
namespace {

// The number after a word at the start of a line: "MemAvailable:  123 kB".
std::optional<std::uint64_t> field(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::string_view rest = line;
    if (take_word(rest) == key) return parse_number<std::uint64_t>(take_word(rest));
  }
  return std::nullopt;
}

std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return parse_number<std::uint64_t>(word);  // "max" is no number
}

// The names of one group's files; version 2 of the kernel's interface, and version 1.
struct Interface {
  const char *root, *limit, *used, *cached;
};
constexpr Interface version2{"/sys/fs/cgroup", "/memory.max", "/memory.current", "inactive_file"};
constexpr Interface version1{"/sys/fs/cgroup/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes",
                             "total_inactive_file"};

// What is left in one group. Files that the kernel caches for it do not count as used.
std::uint64_t left_in_group(const Interface& files, const std::string& group) {
  const std::string folder = files.root + group;
  const auto limit = number_in(folder + files.limit), used = number_in(folder + files.used);
  if (!limit || !used) return UINT64_MAX;
  const std::uint64_t taken =
      *used - std::min(*used, field(folder + "/memory.stat", files.cached).value_or(0));
  return *limit - std::min(*limit, taken);
}

// The least left in a group and those around it. In a container the paths of /proc/self/cgroup may be the
// host's; the root is then the container's own group.
std::uint64_t left_in_groups(const Interface& files, std::string group) {
  std::uint64_t least = left_in_group(files, "");
  while (!group.empty()) {
    least = std::min(least, left_in_group(files, group));
    const auto slash = group.rfind('/');
    group.resize(slash == std::string::npos ? 0 : slash);
  }
  return least;
}

std::uint64_t left_in_cgroup() {
  std::uint64_t least = UINT64_MAX;
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {  // "0::/a/b" or "5:memory:/a/b"
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controllers.empty()) least = std::min(least, left_in_groups(version2, line.substr(second + 1)));
    if (controllers == "memory") least = std::min(least, left_in_groups(version1, line.substr(second + 1)));
  }
  return least;
}

std::uint64_t left_in_address_space() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  const std::uint64_t used = field("/proc/self/status", "VmSize:").value_or(0) * 1024;
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

}  // namespace

std::uint64_t available_memory() {
  const auto free = field("/proc/meminfo", "MemAvailable:");
  const std::uint64_t machine = free ? *free * 1024 : UINT64_MAX;
  const std::uint64_t least = std::min({machine, left_in_cgroup(), left_in_address_space()});
  return least == UINT64_MAX ? 0 : std::max<std::uint64_t>(1, least);
}

}  // namespace tilewalk
