// Settings that outlive the window: a small text file, written whole or not at all.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "viz/settings.h"

namespace tilewalk::viz {

std::string format_settings(const Settings& settings);
Settings parse_settings(
    std::string_view text);  // throws RequestError for anything but what format_settings wrote

struct SavedSettings {
  Settings settings;
  std::string notice;  // "": all is well; else what was wrong, and where the damaged file is now
};
// Defaults where there is no file. A damaged one is set aside, so that it cannot keep the window from
// opening.
SavedSettings load_settings(const std::string& path);
void save_settings(const std::string& path, const Settings& settings);  // throws RequestError

// In the user's configuration folder; "" where there is none.
std::string settings_path();

// Keeps the settings as soon as they change.
class SettingsKeeper {
 public:
  SettingsKeeper(std::string path, const Settings& now);
  // Returns what is wrong where the file cannot be written, once; else "".
  std::string look(const Settings& now);
  // Writes them, in the form of the file, somewhere else too.
  void also(std::function<void(const std::string&)> keep) { keep_ = std::move(keep); }

 private:
  std::string path_, kept_;
  std::function<void(const std::string&)> keep_;
};

}  // namespace tilewalk::viz
