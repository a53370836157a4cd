/* Claims about text from files on a terminal. */
#include "../suite.h"
#include "base/error.h"
#include "base/terminal_text.h"

static void assert_tidied(const char *text, const char *due)
{
    char found[64];
    snprintf(found, sizeof found, "%s", text);
    terminal_text_sanitise(found);
    assert_string_equal(found, due);
}

TEST(ordinary_text_is_unchanged)
{
    assert_tidied("", "");
    assert_tidied("a b~", "a b~");
    assert_tidied("\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xa6\xc2\xa0",
                  "\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xa6\xc2\xa0");
}

TEST(control_characters_are_escaped)
{
    assert_tidied("a\n\x1b[31m\x7f", "a??[31m?");
    assert_tidied("\xc2\x9b"
                  "31m",
                  "??31m");
    assert_tidied("\x9b"
                  "31m",
                  "?31m");
}

TEST(bytes_that_are_no_utf8_are_taken_for_the_worst)
{
    assert_tidied("\xc3", "?");
    assert_tidied("\xe2\x82", "??");
    assert_tidied("\xc0\x9b", "??");
    assert_tidied("\xff\xf5\x80", "???");
    assert_tidied("\xf0\x9f\x90x", "???x");
}

TEST(a_sentence_is_escaped_and_a_line_keeps_its_newline)
{
    struct error error = {0};
    char text[64] = {0};
    error_refuse(&error, "%s is not there",
                 "\xc2\x9b"
                 "2J.csv");
    assert_string_equal(error.sentence, "??2J.csv is not there");
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    terminal_print(out, "%s is valid\n", "a\nb\x1b");
    fclose(out);
    assert_string_equal(text, "a?b? is valid\n");
}

SUITE("tidy")
