#include "firnpole.h"

static struct record slots[RING_SIZE];
static uint8_t first, next;

static uint8_t after(uint8_t slot) { return (uint8_t)((slot + 1) % RING_SIZE); }

void ring_clear(void) { first = next = 0; }

void ring_push(struct record r)
{
    slots[next] = r;
    next = after(next);
    if (next == first)
        first = after(first);
}

bool ring_pop(struct record *r)
{
    if (first == next)
        return false;
    *r = slots[first];
    first = after(first);
    return true;
}
