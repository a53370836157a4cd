/* Vicsek, Czirok, Ben-Jacob, Cohen and Shochet (1995), written from the paper alone, in angles, to be held against ours.
 *
 *     cc -O3 -ffast-math tests/validation/vicsek.c -lm -o vicsek
 *     ./vicsek N L ETA SEED REST STEPS
 *
 * flies N particles in a square of side L with periodic boundaries, radius 1, speed 0.03, noise uniform in [-ETA/2, ETA/2],
 * from random places and headings: x(t + 1) = x(t) + v(t), theta(t + 1) = <theta(t)>_r + dtheta. After REST steps it measures
 * each tenth of STEPS more, and prints the mean of v_a and its standard error by 25 blocks. It shares nothing with the flocks
 * that it is held against: not the numbers, not the chance, not the search (a linked list per cell of side 1 or more).
 *
 * vicsek.csv is what it printed for REST 10000 and STEPS 20000, with 4000 particles for 8000 and 8000.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 10000, MAX_CELLS = 64, BLOCKS = 25, EVERY = 10 };

static const double radius = 1, speed = 0.03;
static int n, cells;
static double side, noise;
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

/* Whoever may be within the radius of those in a cell: the particles of nine cells, as images next to it. */
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

/* The direction of the mean velocity of those within the radius, oneself among them. */
static double mean_angle(int i, int crowd)
{
    double along = 0, across = 0;
    for (int j = 0; j < crowd; j++) {
        const double dx = crowd_x[j] - x[i], dy = crowd_y[j] - y[i];
        const double counts = dx * dx + dy * dy <= radius * radius ? 1 : 0;
        along += counts * crowd_cosine[j];
        across += counts * crowd_sine[j];
    }
    return atan2(across, along);
}

static void look_round(void)
{
    for (int row = 0; row < cells; row++)
        for (int column = 0; column < cells; column++) {
            const int crowd = first[row][column] < 0 ? 0 : crowd_about(row, column);
            for (int i = first[row][column]; i >= 0; i = following[i])
                next_theta[i] = mean_angle(i, crowd) + uniform(-noise / 2, noise / 2);
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
    look_round();
    for (int i = 0; i < n; i++) {
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
    if (count != 7) {
        fputs("vicsek N L ETA SEED REST STEPS\n", stderr);
        return 2;
    }
    n = atoi(words[1]);
    side = atof(words[2]);
    noise = atof(words[3]);
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
    double block[BLOCKS] = {0}, mean = 0, squares = 0;
    const long each = steps / BLOCKS / EVERY;
    for (long t = 0; t < rest; t++)
        step();
    for (long m = 0; m < each * BLOCKS; m++) {
        for (int k = 0; k < EVERY; k++)
            step();
        block[m / each] += order() / (double)each;
    }
    for (int b = 0; b < BLOCKS; b++)
        mean += block[b] / BLOCKS;
    for (int b = 0; b < BLOCKS; b++)
        squares += (block[b] - mean) * (block[b] - mean);
    printf("%.6f %.6f\n", mean, sqrt(squares / (BLOCKS - 1) / BLOCKS));
    return 0;
}
