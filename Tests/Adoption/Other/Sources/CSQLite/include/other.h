int other_two(void);
