#include "firnpole.h"

static uint8_t over; /* a bit for each channel */

bool alarm_check(uint8_t channel, int16_t value, int16_t limit)
{
    uint8_t bit = (uint8_t)(1u << channel);
    if (limit == 0 || value <= limit) {
        over &= (uint8_t)~bit;
        return false;
    }
    bool is_new = (over & bit) != bit;
    over |= bit;
    return is_new;
}
