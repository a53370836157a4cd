"""What plot.py is made of, in the order in which data flow through it:

    texts     what others wrote, made fit for a terminal and for a figure
    world     the box, its margin and the sense of the y axis, from a configuration
    readers   trajectories, CSV and HDF5, into one small interface: steps, counts, frame(kind, k)
    plain     the same of matrix text and extended XYZ; runs has what both make
    tables    observables and sweeps into columns of numbers
    view      what of the plane a picture shows
    looks     the colours of a screen and of paper, and shapes; numpy in, numpy out, no matplotlib
    panel     one view of one flock
    page      a header and a panel, or several: a contact sheet, or runs side by side
    charts    density, observables and sweeps, on axes with units
    writers   what leaves: mp4, gif, a picture
    player    a page that plays the flight in a browser (player.html)
    window    the frames on a screen
    command   options in, exit status out
"""
