/* Run an image and print its lines on the UART and measurements.
 *
 *     run_image IMAGE.bin STEPS PULSES [contention] [stalls=SEED] [place=FLOCK,AGENTS]
 *
 * Lines of the UART up to that of step STEPS, then `# MHZ PICTURES LATE FREE0 FREE1`: how many pictures came, how many of them
 * more than PULSES sync pulses after the one before, and how many bytes of the stack of each core were never written to.
 * AGENTS is a file of four words each, which replace the agents of the flock at that address when the first state was reported.
 */
#include "board.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SRAM_BASE = 0x20000000 };

static unsigned last_step;
static bool is_over;
static uint64_t pulses, pictures, late, last_pulse;
static uint32_t flock;
static FILE *agents;

/* A flock begins with the number of its boids and, at word 2 and 3, where its boids and its predators are. */
static void place_agents(struct board *board)
{
    uint32_t head[4], agent[4];
    memcpy(head, board->memory.sram + (flock - SRAM_BASE), sizeof head);
    for (uint32_t i = 0; fread(agent, sizeof agent, 1, agents) == 1; i++) {
        const uint32_t place = i < head[0] ? head[2] + 16 * i : head[3] + 16 * (i - head[0]);
        memcpy(board->memory.sram + (place - SRAM_BASE), agent, sizeof agent);
    }
    fclose(agents);
    agents = NULL;
}

static void tell_line(struct board *board, const char *line)
{
    puts(line);
    if (line[0] < '0' || line[0] > '9')
        return;
    is_over = strtoul(line, NULL, 10) >= last_step;
    if (agents)
        place_agents(board);
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
        else if (sscanf(argv[i], "place=%" SCNu32 ",", &flock) == 1)
            agents = fopen(strchr(argv[i], ',') + 1, "rb");
    board->line = tell_line;
    board->picture = see_picture;
    while (!is_over)
        board_run(board);
    printf("# %g %llu %llu %u %u\n", board_clock(board), (unsigned long long)pictures,
           (unsigned long long)late, board_stack_free(board, 0), board_stack_free(board, 1));
    free(board);
    return 0;
}
