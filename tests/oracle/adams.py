"""V. Hunter Adams' boids with predators, transcribed on its own: own loop, own numbers, the names of the source.

It shares no line with reference.py, so that a misreading in one of them shows as a difference between the
two. Boids that are inside the protected range are left out of the means, as in the published pseudocode.
Predators read no boid: after the boids have moved they turn at the margins and keep the speed limits.
"""

import math

screen_width, screen_height, margin = 640, 480, 100
turnfactor = 0.2
visualRange, protectedRange = 40, 8
centeringfactor, avoidfactor, matchingfactor = 0.0005, 0.05, 0.05
maxspeed, minspeed = 6, 3
predatory_range, predator_turnfactor = 100, 0.5


def turn_at_margins(agent):
    """Inside a margin, the velocity is nudged back in."""
    x, y, vx, vy = agent
    if x < margin:
        vx = vx + turnfactor
    if x > screen_width - margin:
        vx = vx - turnfactor
    if y < margin:
        vy = vy + turnfactor
    if y > screen_height - margin:
        vy = vy - turnfactor
    agent[2:] = vx, vy


def keep_speed(agent):
    """Neither slower than minspeed nor faster than maxspeed, unless at rest."""
    vx, vy = agent[2:]
    speed = math.sqrt(vx * vx + vy * vy)
    if 0 < speed < minspeed:
        agent[2:] = (vx / speed) * minspeed, (vy / speed) * minspeed
    if speed > maxspeed:
        agent[2:] = (vx / speed) * maxspeed, (vy / speed) * maxspeed


def step(boids, predators):
    """One step, in place: for every boid its rules and its move, then the predators."""
    for n in range(len(boids)):
        x, y, vx, vy = boids[n]
        xpos_avg = ypos_avg = xvel_avg = yvel_avg = neighboring_boids = close_dx = close_dy = 0
        for m in range(len(boids)):
            if m == n:
                continue
            other_x, other_y, other_vx, other_vy = boids[m]
            dx, dy = x - other_x, y - other_y
            if abs(dx) < visualRange and abs(dy) < visualRange:
                squared_distance = dx * dx + dy * dy
                if squared_distance < protectedRange * protectedRange:
                    close_dx += dx
                    close_dy += dy
                elif squared_distance < visualRange * visualRange:
                    xpos_avg += other_x
                    ypos_avg += other_y
                    xvel_avg += other_vx
                    yvel_avg += other_vy
                    neighboring_boids += 1

        new_vx, new_vy = vx, vy
        if neighboring_boids > 0:
            xpos_avg, ypos_avg = xpos_avg / neighboring_boids, ypos_avg / neighboring_boids
            xvel_avg, yvel_avg = xvel_avg / neighboring_boids, yvel_avg / neighboring_boids
            new_vx += (xpos_avg - x) * centeringfactor + (xvel_avg - vx) * matchingfactor
            new_vy += (ypos_avg - y) * centeringfactor + (yvel_avg - vy) * matchingfactor
        new_vx += close_dx * avoidfactor
        new_vy += close_dy * avoidfactor
        boids[n][2:] = new_vx, new_vy

        turn_at_margins(boids[n])

        predator_dx = predator_dy = num_predators = 0
        for predator in predators:
            dx, dy = x - predator[0], y - predator[1]
            if dx * dx + dy * dy < predatory_range * predatory_range:
                predator_dx += dx
                predator_dy += dy
                num_predators += 1
        if num_predators > 0:
            if predator_dy > 0:
                boids[n][3] += predator_turnfactor
            if predator_dy < 0:
                boids[n][3] -= predator_turnfactor
            if predator_dx > 0:
                boids[n][2] += predator_turnfactor
            if predator_dx < 0:
                boids[n][2] -= predator_turnfactor

        keep_speed(boids[n])
        boids[n][0] += boids[n][2]
        boids[n][1] += boids[n][3]

    for predator in predators:
        turn_at_margins(predator)
        keep_speed(predator)
        predator[0] += predator[2]
        predator[1] += predator[3]
