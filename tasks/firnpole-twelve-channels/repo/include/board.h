#ifndef BOARD_H
#define BOARD_H

#include <stddef.h>
#include <stdint.h>

/* What the board provides. tests/board_host.c is one of them. */
int16_t board_read_input(uint8_t input);
void board_eeprom_read(uint16_t address, void *to, size_t length);
void board_eeprom_write(uint16_t address, const void *from, size_t length);
void board_flash_append(const void *from, size_t length);
void board_send(const char *text);
void board_show(const char *text);

#endif
