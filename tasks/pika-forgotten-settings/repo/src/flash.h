#ifndef FLASH_H
#define FLASH_H

#include <stdint.h>

#define FLASH_PAGES 2
#define FLASH_PAGE_SIZE 512

void flash_read(int page, uint16_t offset, void *to, uint16_t length);
void flash_write(int page, uint16_t offset, const void *from, uint16_t length);
void flash_erase(int page);

/* Only here, not on the station. */
extern uint8_t flash_memory[FLASH_PAGES][FLASH_PAGE_SIZE];
extern long flash_written, flash_erased;
void flash_cut_after(long bytes); /* negative: never */

#endif
