#include "cli/console.h"
#include "cli/lesson.h"
#include "cli/text_file.h"
#include "sim/error.h"

namespace tilewalk {

Lesson find_lesson(const std::string& name) {
  if (!name.ends_with(".lesson")) return lesson_named(name);
  Complaints complaints(name);
  Lesson lesson = read_lesson(read_text_file(name, "lesson " + shown(name), most_lesson_bytes), complaints);
  if (complaints.empty()) return lesson;
  throw RequestError(name + ":" + std::to_string(complaints.list()[0].line) + ": " +
                     complaints.list()[0].what + "; 'tilewalk lesson check' tells everything");
}

}  // namespace tilewalk
