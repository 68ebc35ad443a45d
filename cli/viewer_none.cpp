// Stands in for the viewer where its packages were missing when tilewalk was built.
#include "cli/exit_code.h"
#include "cli/viewer.h"

namespace tilewalk {

std::vector<std::string> view(const ViewRequest&) {
  throw Unavailable(
      "view: built without the viewer; install libimgui-dev, libstb-dev, libglfw3-dev and libgl-dev and "
      "build again, or "
      "try 'tilewalk step flash2'");
}

}  // namespace tilewalk
