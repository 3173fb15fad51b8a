// Nothing to call: the limit is set when a process of tests starts.
