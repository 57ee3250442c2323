#include "flash.h"

#include <stdlib.h>
#include <string.h>

uint8_t flash_memory[FLASH_PAGES][FLASH_PAGE_SIZE];
long flash_written, flash_erased;
static long left = -1;

void flash_cut_after(long bytes) { left = bytes; }

static int powered(void)
{
    if (left == 0)
        return 0;
    if (left > 0)
        left--;
    return 1;
}

static void inside(int page, unsigned offset, unsigned length)
{
    if (page < 0 || page >= FLASH_PAGES || offset + length > FLASH_PAGE_SIZE)
        abort(); /* a hard fault on the station */
}

void flash_read(int page, uint16_t offset, void *to, uint16_t length)
{
    inside(page, offset, length);
    memcpy(to, &flash_memory[page][offset], length);
}

void flash_write(int page, uint16_t offset, const void *from, uint16_t length)
{
    const uint8_t *bytes = from;
    inside(page, offset, length);
    for (uint16_t n = 0; n < length; n++) {
        if (!powered())
            return;
        flash_memory[page][offset + n] &= bytes[n]; /* zeros stay zeros */
        flash_written++;
    }
}

void flash_erase(int page)
{
    inside(page, 0, 0);
    if (!powered())
        return;
    memset(flash_memory[page], 0xFF, FLASH_PAGE_SIZE);
    flash_erased++;
}
