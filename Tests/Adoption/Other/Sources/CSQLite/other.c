#include "other.h"

int other_two(void) { return 2; }
