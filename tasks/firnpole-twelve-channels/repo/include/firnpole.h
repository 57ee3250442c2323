#ifndef FIRNPOLE_H
#define FIRNPOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"
#include "record.h"

/* EEPROM, see src/eeprom.c */
struct calibration {
    int16_t offset;
    int16_t limit;
    uint8_t kind;
    uint8_t reserved[11];
};

struct station {
    char name[16];
    char phone[16];
    uint8_t interval;
    uint8_t reserved[29];
    uint16_t crc;
};

void eeprom_load(struct station *station, struct calibration calibration[MAX_CHANNELS]);
void eeprom_store_calibration(uint8_t channel, const struct calibration *calibration);
void eeprom_store_station(struct station *station);
uint16_t crc16(const void *data, uint16_t length);

/* a ring of samples; when it is full the oldest goes */
void ring_clear(void);
void ring_push(struct record r);
bool ring_pop(struct record *r);

void sensors_sample(const struct calibration calibration[MAX_CHANNELS], uint8_t minute, int16_t values[MAX_CHANNELS]);

/* true when the channel has just gone over its limit */
bool alarm_check(uint8_t channel, int16_t value, int16_t limit);

bool schedule_due(uint8_t minute, uint8_t interval);
void display_show(uint8_t channel, int16_t value);
void uplink_daily(const struct station *station, const int16_t values[MAX_CHANNELS]);
bool console_line(const char *line, struct calibration calibration[MAX_CHANNELS]);

/* once a minute; hour is the hour of the year */
void logger_start(void);
void logger_minute(uint16_t hour, uint8_t minute);

#endif
