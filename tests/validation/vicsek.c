/* Two models in angles, written from the papers alone, to compare with ours: Vicsek, Czirok, Ben-Jacob, Cohen and Shochet (1995), and
 * Gregoire and Chate (2004).
 *
 *     cc -O3 -ffast-math tests/validation/vicsek.c -lm -o vicsek
 *     ./vicsek N L ETA SEED REST STEPS [new | gregoire]
 *
 * It moves N particles in a square of side L with periodic boundaries and radius 1, from random positions and headings. Vicsek: speed
 * 0.03, noise uniform in [-ETA/2, ETA/2]; x(t + 1) = x(t) + v(t), theta(t + 1) = <theta(t)>_r + noise; with `new`, x(t + 1) = x(t) +
 * v(t + 1), as in our preset. Gregoire: speed 0.5, theta(t + 1) is the direction of the sum of the n headings within r and of a random
 * vector of length ETA n; x(t + 1) = x(t) + v(t + 1).
 *
 * After REST steps it measures every tenth of STEPS more. It prints the mean order, the standard error from 25 blocks, and the Binder
 * cumulant. It shares nothing with our flocks: neither numbers nor random draws nor the search (a linked list per cell of side 1 or
 * more).
 *
 * vicsek.csv has the mean over seeds of its output for REST 10000 and STEPS 20000, with 4000 particles for 8000 and 8000, with the
 * error of pooled() in runs.py. vicsek_new.csv and gregoire.csv have a row per seed and both columns.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 10000, MAX_CELLS = 64, BLOCKS = 25, EVERY = 10 };

static const double radius = 1;
static bool is_gregoire, moves_by_new;
static int n, cells;
static double side, noise, speed;
static double x[MOST], y[MOST], cosine[MOST], sine[MOST], next_theta[MOST];
static double crowd_x[MOST], crowd_y[MOST], crowd_cosine[MOST], crowd_sine[MOST];
static int first[MAX_CELLS][MAX_CELLS], following[MOST];

static double uniform(double low, double high)
{
    return low + (high - low) * drand48();
}

static int cell_of(double place)
{
    const int cell = (int)(place / side * cells);
    return cell < cells ? cell : cells - 1;
}

static void file_particles(void)
{
    for (int row = 0; row < cells; row++)
        for (int column = 0; column < cells; column++)
            first[row][column] = -1;
    for (int i = 0; i < n; i++) {
        int *head = &first[cell_of(y[i])][cell_of(x[i])];
        following[i] = *head;
        *head = i;
    }
}

/* The particles that can be within the radius of those in a cell: those of nine cells, as images next to it. */
static int crowd_about(int row, int column)
{
    int count = 0;
    for (int k = 0; k < 9; k++) {
        const int r = row + k / 3 - 1, c = column + k % 3 - 1;
        const double up = r < 0        ? -side
                          : r == cells ? side
                                       : 0,
                     right = c < 0        ? -side
                             : c == cells ? side
                                          : 0;
        for (int j = first[(r + cells) % cells][(c + cells) % cells]; j >= 0; j = following[j]) {
            crowd_x[count] = x[j] + right;
            crowd_y[count] = y[j] + up;
            crowd_cosine[count] = cosine[j];
            crowd_sine[count++] = sine[j];
        }
    }
    return count;
}

/* The direction of the mean velocity of those within the radius, including particle i, with noise. */
static double noisy_angle(int i, int crowd)
{
    double along = 0, across = 0, within = 0;
    for (int j = 0; j < crowd; j++) {
        const double dx = crowd_x[j] - x[i], dy = crowd_y[j] - y[i];
        const double counts = dx * dx + dy * dy <= radius * radius ? 1 : 0;
        along += counts * crowd_cosine[j];
        across += counts * crowd_sine[j];
        within += counts;
    }
    if (!is_gregoire)
        return atan2(across, along) + uniform(-noise / 2, noise / 2);
    const double angle = uniform(0, 2 * acos(-1));
    return atan2(across + noise * within * sin(angle), along + noise * within * cos(angle));
}

static void turn_all(void)
{
    for (int row = 0; row < cells; row++)
        for (int column = 0; column < cells; column++) {
            const int crowd = first[row][column] < 0 ? 0 : crowd_about(row, column);
            for (int i = first[row][column]; i >= 0; i = following[i])
                next_theta[i] = noisy_angle(i, crowd);
        }
}

static void head(int i, double angle)
{
    cosine[i] = cos(angle);
    sine[i] = sin(angle);
}

static double wrapped(double place)
{
    return place < 0 ? place + side : place >= side ? place - side : place;
}

static void step(void)
{
    file_particles();
    turn_all();
    for (int i = 0; i < n; i++) {
        if (moves_by_new)
            head(i, next_theta[i]);
        x[i] = wrapped(x[i] + speed * cosine[i]);
        y[i] = wrapped(y[i] + speed * sine[i]);
        head(i, next_theta[i]);
    }
}

static double order(void)
{
    double along = 0, across = 0;
    for (int i = 0; i < n; i++) {
        along += cosine[i];
        across += sine[i];
    }
    return hypot(along, across) / n;
}

int main(int count, char **words)
{
    is_gregoire = count == 8 && strcmp(words[7], "gregoire") == 0;
    moves_by_new = is_gregoire || (count == 8 && strcmp(words[7], "new") == 0);
    if (count != 7 && !moves_by_new) {
        fputs("vicsek N L ETA SEED REST STEPS [new | gregoire]\n", stderr);
        return 2;
    }
    n = atoi(words[1]);
    side = atof(words[2]);
    noise = atof(words[3]);
    speed = is_gregoire ? 0.5 : 0.03;
    srand48(atol(words[4]));
    const long rest = atol(words[5]), steps = atol(words[6]);
    cells = (int)(side / radius);
    if (n < 1 || n > MOST || cells < 3 || cells > MAX_CELLS || steps < BLOCKS * EVERY)
        return 2;
    for (int i = 0; i < n; i++) {
        x[i] = uniform(0, side);
        y[i] = uniform(0, side);
        head(i, uniform(0, 2 * acos(-1)));
    }
    double block[BLOCKS] = {0}, mean = 0, squares = 0, second = 0, fourth = 0;
    const long each = steps / BLOCKS / EVERY;
    for (long t = 0; t < rest; t++)
        step();
    for (long m = 0; m < each * BLOCKS; m++) {
        for (int k = 0; k < EVERY; k++)
            step();
        const double phi = order();
        block[m / each] += phi / (double)each;
        second += phi * phi / (double)(each * BLOCKS);
        fourth += phi * phi * phi * phi / (double)(each * BLOCKS);
    }
    for (int b = 0; b < BLOCKS; b++)
        mean += block[b] / BLOCKS;
    for (int b = 0; b < BLOCKS; b++)
        squares += (block[b] - mean) * (block[b] - mean);
    printf("%.6f %.6f %.4f\n", mean, sqrt(squares / (BLOCKS - 1) / BLOCKS),
           1 - fourth / (3 * second * second));
    return 0;
}
