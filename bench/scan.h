/* `bench --scan` searches for sudden changes of speed: flocks from ten boids to a hundred thousand, and worlds from a narrow torus
 * to a wide one, in every update order. It prints the largest ratio of neighbouring rows. */
#ifndef BENCH_SCAN_H
#define BENCH_SCAN_H

void scan_report(void);

#endif
