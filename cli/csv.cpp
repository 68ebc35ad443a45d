#include "cli/csv.h"

#include <fmt/format.h>

#include <ctime>

#include "cli/output_file.h"
#include "gpu/api.h"

namespace tilewalk {

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16] = "";
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

std::string csv_problem(const Problem& p) {
  return fmt::format("{},{},{},{},{},{},{},{}", name_of(p.dtype), p.batch, p.heads, p.kv_heads, p.n_q, p.n_kv,
                     p.d, p.mask.spec());
}

void write_measured_csv(const std::string& path, const std::string& csv, const std::string& notes) {
  const gpu::DeviceInfo d = gpu::device_info();
  std::string text = fmt::format("# measured on one {}, driver for CUDA {}, built with CUDA {}, {}\n", d.name,
                                 d.driver, d.toolkit, today());
  for (std::size_t at = 0; at < notes.size();) {
    const std::size_t end = std::min(notes.find('\n', at), notes.size());
    text += "# " + notes.substr(at, end - at) + "\n";
    at = end + 1;
  }
  write_file_atomically(path, text + csv, "--csv");
}

}  // namespace tilewalk
