#include <stdlib.h>
#include <string.h>

#include "firnpole.h"

/* `cal CHANNEL OFFSET` and `show CHANNEL` */
bool console_line(const char *line, struct calibration calibration[MAX_CHANNELS])
{
    if (strncmp(line, "cal ", 4) == 0) {
        uint8_t channel = (uint8_t)(line[4] - '0');
        if (channel >= MAX_CHANNELS)
            return false;
        calibration[channel].offset = (int16_t)atoi(line + 5);
        eeprom_store_calibration(channel, &calibration[channel]);
        return true;
    }
    if (strncmp(line, "show ", 5) == 0) {
        int channel = atoi(line + 5);
        if (channel < 0 || channel >= MAX_CHANNELS)
            return false;
        display_show((uint8_t)channel, calibration[channel].offset);
        return true;
    }
    return false;
}
