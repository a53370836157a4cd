/* Run an image and print its lines on the UART and measurements.
 *
 *     run_image IMAGE.bin STEPS PULSES [contention] [stalls=SEED]
 *
 * Lines of the UART up to that of step STEPS, then `# MHZ PICTURES LATE FREE0 FREE1`: how many pictures came, how many of them
 * more than PULSES sync pulses after the one before, and how many bytes of the stack of each core were never written to.
 */
#include "board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned last_step;
static bool is_over;
static uint64_t pulses, pictures, late, last_pulse;

static void tell_line(struct board *board, const char *line)
{
    (void)board;
    puts(line);
    is_over = line[0] >= '0' && line[0] <= '9' && strtoul(line, NULL, 10) >= last_step;
}

static void see_picture(struct board *board, uint64_t pulse)
{
    (void)board;
    late += pictures > 0 && pulse - last_pulse > pulses;
    last_pulse = pulse;
    pictures++;
}

int main(int argc, char **argv)
{
    struct board *board = argc < 4 ? NULL : board_create(argv[1]);
    if (!board) {
        fprintf(stderr, "run_image: %s\n",
                argc < 4 ? "IMAGE.bin STEPS PULSES are wanted" : "the image cannot be read");
        return 2;
    }
    last_step = (unsigned)strtoul(argv[2], NULL, 10);
    pulses = strtoul(argv[3], NULL, 10);
    for (int i = 4; i < argc; i++)
        if (strcmp(argv[i], "contention") == 0)
            board->is_contended = true;
        else if (strncmp(argv[i], "stalls=", 7) == 0)
            board->stalls = (uint32_t)strtoul(argv[i] + 7, NULL, 10);
    board->line = tell_line;
    board->picture = see_picture;
    while (!is_over)
        board_run(board);
    printf("# %g %llu %llu %u %u\n", board_clock(board), (unsigned long long)pictures,
           (unsigned long long)late, board_stack_free(board, 0), board_stack_free(board, 1));
    free(board);
    return 0;
}
