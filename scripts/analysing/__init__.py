"""What analyse.py is made of. Trajectories are read and charts are styled by plotting/, its neighbour.

    space         distances, windows and rings, on a plane or a torus
    result        what an analysis leaves: columns, numbers, a chart
    rings         g(r) and C(r): pairs of boids by their distance
    displacement  how far boids get in a time
    groups        how many groups there are of which size
    fluctuations  how the number of boids in a box varies
    command       options in, exit status out

docs/analysis.md has the formulas. Each analysis takes one frame after another (add) and ends with a Result (result).
"""
