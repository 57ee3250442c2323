#include "board.h"
#include "firnpole.h"

static struct station station;
static struct calibration calibration[MAX_CHANNELS];

void logger_start(void)
{
    eeprom_load(&station, calibration);
    ring_clear();
    board_show(station.name);
}

/* Everything since the last full hour, then the marker of the new one. */
static void to_flash(uint16_t hour)
{
    struct record r;
    while (ring_pop(&r))
        board_flash_append(&r, sizeof r);
    r = record_make(0, HOUR_MARKER, 0, (int16_t)hour);
    board_flash_append(&r, sizeof r);
}

void logger_minute(uint16_t hour, uint8_t minute)
{
    int16_t values[MAX_CHANNELS];
    if (minute == 0)
        to_flash(hour);
    if (!schedule_due(minute, station.interval))
        return;
    sensors_sample(calibration, minute, values);
    for (uint8_t channel = 0; channel < MAX_CHANNELS; channel++)
        if (alarm_check(channel, values[channel], calibration[channel].limit))
            board_send("ALARM");
    display_show(minute % MAX_CHANNELS, values[minute % MAX_CHANNELS]);
    if (hour % 24 == 6 && minute == 0)
        uplink_daily(&station, values);
}
