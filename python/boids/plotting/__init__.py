"""The modules behind boids-plot (commands/plot.py), in the order in which data passes through them:

    errors         exceptions with their exit status, and notes on standard error
    sanitize       text from files, made safe for a terminal and for a figure
    world          the box, margins, obstacles and y axis from a configuration
    text_readers   trajectories from CSV, matrix text and extended XYZ
    readers        trajectories of any format behind one interface: steps, counts, frame(kind, k)
    stream         frames that arrive, from a pipe
    labels         what keys and observables are called in a picture
    tables         observables and sweeps as columns of numbers
    viewport       the part of the plane that a picture shows
    style          the colours and shapes of agents; numpy only
    palette        palettes by name, and other backgrounds
    glowing_trails trails that add up, as light or ink
    panel          the axes of one flock
    layout         a page: a header and panels (one run, a contact sheet, or several runs side by side)
    density        a map of the density, on a page
    estimators     means, errors and warnings over the runs of a sweep
    charts         observables and sweeps, on axes with units
    columns        columns of numbers as CSV
    atomic_file    output files that appear under their name when they are complete
    writers        films (mp4, gif) and pictures
    player         a page that plays the run in a browser (player.html)
    window         an animation in a window
    terminal       an animation in a terminal
"""
