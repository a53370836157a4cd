/* `bench --scan`: is there a cliff? Flocks from ten boids to a hundred thousand, and worlds from a narrow torus to a wide
 * one, in every order of turns; the worst ratio of neighbouring rows says how high the highest step is. */
#ifndef BENCH_SCAN_H
#define BENCH_SCAN_H

void scan_report(void);

#endif
