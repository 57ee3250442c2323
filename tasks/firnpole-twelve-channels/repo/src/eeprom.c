#include <string.h>

#include "board.h"
#include "firnpole.h"

/*
 * Pages of 128 bytes.
 *
 *   page 0  left to the boot loader
 *   page 1  calibration, 16 bytes a channel (3.0)
 *   page 2  the station
 */
#define CALIBRATION 128u
#define STATION 256u

void eeprom_load(struct station *station, struct calibration calibration[MAX_CHANNELS])
{
    for (uint8_t channel = 0; channel < MAX_CHANNELS; channel++)
        board_eeprom_read((uint16_t)(CALIBRATION + channel * sizeof *calibration), &calibration[channel], sizeof *calibration);
    board_eeprom_read(STATION, station, sizeof *station);
    if (station->crc != crc16(station, sizeof *station - sizeof station->crc)) {
        memset(station, 0, sizeof *station);
        strcpy(station->name, "UNNAMED");
        station->interval = DEFAULT_INTERVAL;
    }
}

void eeprom_store_calibration(uint8_t channel, const struct calibration *calibration)
{
    board_eeprom_write((uint16_t)(CALIBRATION + channel * sizeof *calibration), calibration, sizeof *calibration);
}

void eeprom_store_station(struct station *station)
{
    station->crc = crc16(station, sizeof *station - sizeof station->crc);
    board_eeprom_write(STATION, station, sizeof *station);
}
