#pragma once

// Marks between which valgrind's callgrind counts instructions. They do nothing in a program that runs without it, nor in one
// that was built where valgrind is not installed.
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
static inline void jamjar_start_counting(void) { CALLGRIND_START_INSTRUMENTATION; }
static inline void jamjar_stop_counting(void) { CALLGRIND_STOP_INSTRUMENTATION; }
#else
static inline void jamjar_start_counting(void) {}
static inline void jamjar_stop_counting(void) {}
#endif
