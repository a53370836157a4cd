"""Pictures, films and pages of flocks, and charts:

    stream         frames that arrive, from a pipe
    labels         what keys and observables are called in a picture
    viewport       the part of the plane that a picture shows
    style          the colours and shapes of agents; numpy only
    palette        palettes by name, and other backgrounds
    glowing_trails trails that add up, as light or ink
    panel          the axes of one flock
    layout         a page: a header and panels (one run, a contact sheet, or several runs side by side)
    density        a map of the density, on a page
    charts         observables and sweeps, on axes with units
    curves         the results of the analyses, on such axes
    writers        films (mp4, gif) and pictures
    player         a page that plays the run in a browser (player.html)
    window         an animation in a window
    terminal       an animation in a terminal
    pictures       pictures and pages of a run in a notebook
"""
