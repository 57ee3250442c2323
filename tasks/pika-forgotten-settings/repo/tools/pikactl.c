/* Looks into an image of the flash. See README for the commands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flash.h"
#include "pika.h"

#define MANY 256

struct listing {
    int count;
    char *lines[MANY];
};

static void remember(const char *key, const char *value, void *context)
{
    struct listing *list = context;
    size_t room = strlen(key) + strlen(value) + 4;
    if (list->count == MANY)
        abort();
    list->lines[list->count] = malloc(room);
    snprintf(list->lines[list->count++], room, "%s = %s", key, value);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_list(const struct pika *store)
{
    struct listing list = { 0, { 0 } };
    pika_each(store, remember, &list);
    qsort(list.lines, (size_t)list.count, sizeof *list.lines, by_text);
    printf("%d\n", list.count);
    for (int n = 0; n < list.count; n++) {
        puts(list.lines[n]);
        free(list.lines[n]);
    }
}

static void reopen(struct pika *store)
{
    flash_cut_after(-1);
    flash_written = flash_erased = 0;
    pika_open(store);
}

static void obey(struct pika *store, char *line)
{
    static const char *const said[] = { "ok", "none", "full", "toolong" };
    char value[PIKA_VALUE_MAX + 1];
    char *command = strtok(line, " "), *key = strtok(NULL, " "), *rest = strtok(NULL, "");
    if (!command)
        return;
    if (strcmp(command, "set") == 0 && key)
        puts(said[pika_set(store, key, rest ? rest : "")]);
    else if (strcmp(command, "del") == 0 && key)
        puts(said[pika_del(store, key)]);
    else if (strcmp(command, "get") == 0 && key) {
        if (pika_get(store, key, value) == PIKA_OK)
            printf("= %s\n", value);
        else
            puts("none");
    } else if (strcmp(command, "list") == 0)
        print_list(store);
    else if (strcmp(command, "stat") == 0)
        printf("written %ld erased %ld\n", flash_written, flash_erased);
    else if (strcmp(command, "cut") == 0 && key) {
        flash_cut_after(atol(key));
        puts("ok");
    } else if (strcmp(command, "reopen") == 0) {
        reopen(store);
        puts("ok");
    } else if (strcmp(command, "wipe") == 0) {
        memset(flash_memory, 0xFF, sizeof flash_memory);
        reopen(store);
        puts("ok");
    } else
        puts("?");
}

int main(int count, char **arguments)
{
    static char line[1024];
    struct pika store;
    FILE *file;
    if (count != 2) {
        fputs("usage: pikactl IMAGE < commands\n", stderr);
        return 2;
    }
    memset(flash_memory, 0xFF, sizeof flash_memory);
    file = fopen(arguments[1], "rb");
    if (file) {
        if (fread(flash_memory, 1, sizeof flash_memory, file) != sizeof flash_memory) {
            fputs("pikactl: that is no image, it is too short\n", stderr);
            return 1;
        }
        fclose(file);
    }
    pika_open(&store);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        obey(&store, line);
    }
    file = fopen(arguments[1], "wb");
    if (!file || fwrite(flash_memory, 1, sizeof flash_memory, file) != sizeof flash_memory) {
        fputs("pikactl: cannot write the image\n", stderr);
        return 1;
    }
    return fclose(file) == 0 ? 0 : 1;
}
