"""The boids of the Castor C++ demo, transcribed with the names of its source. It shares no code with the other references.

It shares no line with reference.py, so that a misreading in one of them shows as a difference between the
two. The demo goes over the whole flock once per rule and changes velocities in place, so a boid aligns
with neighbours of which some have already aligned. Speed is limited before the border, which is why boids
near a wall exceed the limit; both belong to the source.
"""

import math

from sums import sum

dimension = 50.0, 50.0
margin, turnFactor = 2.0, 1.0
separationDistance, separationFactor = 2.0, 0.05
alignementDistance, alignementFactor = 7.5, 0.10
cohesionDistance, cohesionFactor = 8.5, 0.03
maxSpeed = 1.5


def step(X, Y, VX, VY):
    """One step on four columns of numbers, in place: five loops over the flock."""
    N = range(len(X))
    D = [[math.sqrt((X[i] - X[j]) ** 2 + (Y[i] - Y[j]) ** 2) for j in N] for i in N]

    for i in N:
        close_x = close_y = 0.0
        for j in N:
            if j != i and D[i][j] < separationDistance:
                close_x += X[i] - X[j]
                close_y += Y[i] - Y[j]
        VX[i] += separationFactor * close_x
        VY[i] += separationFactor * close_y

    for i in N:
        near = [j for j in N if j != i and D[i][j] < alignementDistance]
        if near:
            VX[i] += alignementFactor * sum(VX[j] for j in near) / len(near)
            VY[i] += alignementFactor * sum(VY[j] for j in near) / len(near)

    for i in N:
        near = [j for j in N if j != i and D[i][j] < cohesionDistance]
        if near:
            VX[i] += cohesionFactor * (sum(X[j] for j in near) / len(near) - X[i])
            VY[i] += cohesionFactor * (sum(Y[j] for j in near) / len(near) - Y[i])

    for i in N:
        speed = math.sqrt(VX[i] ** 2 + VY[i] ** 2)
        if speed > maxSpeed:
            VX[i] *= maxSpeed / speed
            VY[i] *= maxSpeed / speed
        if X[i] < margin:
            VX[i] += turnFactor
        if X[i] > dimension[0] - margin:
            VX[i] -= turnFactor
        if Y[i] < margin:
            VY[i] += turnFactor
        if Y[i] > dimension[1] - margin:
            VY[i] -= turnFactor

    for i in N:
        X[i] += VX[i]
        Y[i] += VY[i]
