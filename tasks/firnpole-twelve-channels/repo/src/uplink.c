#include <stdio.h>

#include "board.h"
#include "firnpole.h"

/* NAME;V0;V1;... in tenths, the line of the day */
void uplink_daily(const struct station *station, const int16_t values[MAX_CHANNELS])
{
    char line[sizeof station->name + MAX_CHANNELS * sizeof ";-32768" + 1];
    int used = snprintf(line, sizeof line, "%.15s", station->name);
    for (uint8_t channel = 0; channel < MAX_CHANNELS; channel++)
        used += snprintf(line + used, sizeof line - (size_t)used, ";%d", values[channel]);
    board_send(line);
}
