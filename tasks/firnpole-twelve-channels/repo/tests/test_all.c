#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "board_host.h"
#include "firnpole.h"

static void records(void)
{
    struct record r = record_make(7, CONDUCTIVITY, 45, -12);
    assert(record_channel(r) == 7 && record_kind(r) == CONDUCTIVITY && record_value(r) == -12);
}

static void ring(void)
{
    struct record r;
    ring_clear();
    for (int i = 0; i < 100; i++)
        ring_push(record_make(0, DEPTH, 0, (int16_t)i));
    int count = 0;
    while (ring_pop(&r))
        if (count++ == 0)
            assert(record_value(r) == 100 - (RING_SIZE - 1));
    assert(count == RING_SIZE - 1);
}

static void alarms(void)
{
    assert(!alarm_check(3, 100, 100));
    assert(alarm_check(3, 101, 100));
    assert(!alarm_check(3, 102, 100));
    assert(!alarm_check(3, 99, 100));
    assert(alarm_check(3, 101, 100));
}

static void a_day(void)
{
    struct station station = {.name = "Krimml", .interval = 10};
    struct calibration calibration = {.kind = DEPTH, .offset = 5};
    eeprom_store_station(&station);
    for (uint8_t channel = 0; channel < MAX_CHANNELS; channel++)
        eeprom_store_calibration(channel, &calibration);
    logger_start();
    assert(strcmp(host_shown, "Krimml") == 0);
    for (uint16_t hour = 0; hour < 24; hour++)
        for (uint8_t minute = 0; minute < 60; minute++)
            logger_minute(hour, minute);
    assert(strncmp(host_sent, "Krimml;5;5;5", 12) == 0);
    assert(host_flash_used == (23 * 6 * MAX_CHANNELS + 24) * sizeof(struct record));
}

static void console(void)
{
    struct calibration calibration[MAX_CHANNELS] = {{0}};
    assert(console_line("cal 7 -15", calibration) && calibration[7].offset == -15);
    assert(console_line("show 7", calibration) && strcmp(host_shown, "7:   -15") == 0);
    assert(!console_line("cal 8 1", calibration));
}

int main(void)
{
    records();
    ring();
    alarms();
    a_day();
    console();
    puts("ok");
    return 0;
}
