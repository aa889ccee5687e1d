// doctest itself: compiled once, which takes longer than most suites.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
