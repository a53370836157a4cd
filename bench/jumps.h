/* `bench --jumps` searches for sudden changes of speed: flocks from ten boids to a hundred thousand, and worlds from a narrow torus
 * to a wide one, in every update order. It prints the largest ratio of neighbouring rows. */
#ifndef BENCH_JUMPS_H
#define BENCH_JUMPS_H

void jumps_report(void);

#endif
