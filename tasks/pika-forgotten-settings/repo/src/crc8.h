#ifndef CRC8_H
#define CRC8_H

#include <stdint.h>

/* Goes on from a CRC; start with 0. */
uint8_t crc8(uint8_t crc, const void *data, unsigned length);

#endif
