#include "cli/exit_code.h"

#include <new>

#include "cli/console.h"
#include "sim/error.h"

namespace tilewalk {

int report_current_exception() {
  try {
    throw;
  } catch (const Interrupted&) {
    complain("interrupted");
    return exit_interrupted;
  } catch (const RequestError& error) {
    complain(error.what());
    return exit_bad_request;
  } catch (const Unavailable& error) {
    complain(error.what());
    return exit_unavailable;
  } catch (const DeviceFailed& error) {
    complain(error.what());
    return exit_disagrees;
  } catch (const std::bad_alloc&) {
    complain(
        "out of memory; choose a smaller --n, --heads or --batch, or add --count-only to count without "
        "values");
    return exit_bad_request;
  } catch (const ScheduleError& error) {
    complain(std::string("a schedule broke a rule of the machine, which is a defect of tilewalk: ") +
             error.what());
    return exit_disagrees;
  } catch (const std::exception& error) {
    complain(std::string("a defect of tilewalk: ") + error.what());
    return exit_disagrees;
  }
}

}  // namespace tilewalk
