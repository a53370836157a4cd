/* Takes the place of firmware/rp2040/led_and_watchdog.h, whose registers the SDK owns. */
#include "hardware/watchdog.h"

#define watchdog_feed watchdog_update
