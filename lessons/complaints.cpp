#include "lessons/complaints.h"

#include <algorithm>

namespace tilewalk {

std::string Complaints::text() const {
  std::vector<Complaint> sorted = list_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Complaint& a, const Complaint& b) { return a.line < b.line; });
  std::string text;
  for (const Complaint& complaint : sorted) {
    text += file_ + ":" + (complaint.line > 0 ? std::to_string(complaint.line) + ":" : "") + " " +
            complaint.what + "\n";
  }
  return text;
}

}  // namespace tilewalk
