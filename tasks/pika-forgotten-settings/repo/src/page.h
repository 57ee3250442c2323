#ifndef PAGE_H
#define PAGE_H

#include <stdint.h>

#include "record.h"

#define PAGE_HEAD 8
#define PAGE_RECEIVING 0xFF
#define PAGE_ACTIVE 0x7F

struct page_head {
    uint16_t sequence;
    uint8_t state;
};

/* 1 and the head, 0 if it is no page of ours. */
int page_read_head(int page, struct page_head *head);

/* Erases it and makes it a page without entries. */
void page_begin(int page, const struct page_head *head);

/*
 * Goes through the entries: offset starts at PAGE_HEAD and is moved behind the
 * entry that was found. 0 if there are no more.
 */
int page_next(int page, uint16_t *offset, struct record *record);

/* Where the next entry can go. */
uint16_t page_end(int page);

#endif
