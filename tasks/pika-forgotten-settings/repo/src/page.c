#include "page.h"

#include "flash.h"

int page_read_head(int page, struct page_head *head)
{
    uint8_t bytes[PAGE_HEAD];
    flash_read(page, 0, bytes, PAGE_HEAD);
    if (bytes[0] != 'P' || bytes[1] != 'K')
        return 0;
    head->sequence = (uint16_t)(bytes[2] | bytes[3] << 8);
    head->state = bytes[4];
    return 1;
}

void page_begin(int page, const struct page_head *head)
{
    uint8_t bytes[5] = { 'P', 'K', (uint8_t)head->sequence, (uint8_t)(head->sequence >> 8),
                         head->state };
    flash_erase(page);
    flash_write(page, 0, bytes, sizeof bytes);
}

int page_next(int page, uint16_t *offset, struct record *record)
{
    if (!record_read(page, *offset, record))
        return 0;
    *offset = (uint16_t)(*offset + record_size(record));
    return 1;
}

uint16_t page_end(int page)
{
    struct record record;
    uint16_t offset = PAGE_HEAD;
    while (page_next(page, &offset, &record))
        ;
    return offset;
}
