// Ctrl-C and its relatives end the program between two steps, so that nothing stays half-written.
#pragma once

namespace tilewalk {

// From now on SIGINT, SIGTERM and SIGHUP set a flag instead of killing; another one seconds later kills. A
// closed pipe is an error of the write instead of a signal.
void handle_signals();

bool interrupted();
void throw_if_interrupted();  // throws Interrupted

}  // namespace tilewalk
