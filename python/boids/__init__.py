"""The Python tools of boids: plotting and analysis of trajectories, and sweeps.

    entry_points   the commands plot, sweep, analyse and xdmf
    plotting       reads trajectories and tables, and draws them
    analysis       statistics of trajectories
    sweeping       points for a sweep
    xdmf           sidecars for ParaView
    places         folders of the project
"""
