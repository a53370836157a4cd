/* Within single quotes a shell interprets no character except the quote. */
#include "base/shell_quote.h"

#include <string.h>

void shell_quote_write(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    if (*word && !word[strspn(word, plain)]) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (const char[]){*word, '\0'}, out);
    fputc('\'', out);
}

const char *shell_quote(const char *word, char text[SHELL_QUOTE_SIZE])
{
    *text = '\0';
    FILE *out = fmemopen(text, SHELL_QUOTE_SIZE, "w");
    if (out) {
        shell_quote_write(out, word);
        fclose(out);
    }
    text[SHELL_QUOTE_SIZE - 1] = '\0';
    return text;
}
