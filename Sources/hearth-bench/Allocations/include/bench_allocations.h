#pragma once

/// How often this process has asked for memory: calls of malloc, calloc and realloc of all its threads.
unsigned long bench_allocations(void);
