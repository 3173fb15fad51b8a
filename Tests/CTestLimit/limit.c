#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Swift Testing begins all tests at once. Whenever a test awaits something, it then waits for its
// turn among thousands, longer than the time limits of servers and other processes. So a few run at
// a time: two more than there are processors, as tests wait for other processes and for time. With one
// more, two processors are idle for a tenth of the run.
//
// The variable is experimental in Swift 6.3. A version without it begins all tests at once.
__attribute__((constructor)) static void limitTests(void) {
  char width[16];
  snprintf(width, sizeof width, "%ld", sysconf(_SC_NPROCESSORS_ONLN) + 2);
  setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", width, 0);
}
