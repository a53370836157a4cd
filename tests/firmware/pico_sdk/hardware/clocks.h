#include "pico/stdlib.h"

bool set_sys_clock_khz(uint khz, bool required);
