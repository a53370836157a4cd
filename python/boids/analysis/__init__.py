"""The modules of analyse.py. plotting/ reads the trajectories and styles the charts.

    space             distances, areas and windows, on a plane or a torus
    result            the result of an analysis: columns, numbers, a chart
    pair_correlation  g(r) and C(r): pairs of boids by their distance
    displacement      the mean squared displacement
    groups            the sizes of groups
    fluctuations      the variance of the number of boids in a box
    command           command line and exit status

docs/analysis.md has the formulas. Each analysis receives the frames one by one (add) and returns a Result (result).
"""
