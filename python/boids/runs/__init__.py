"""What a user steps and keeps: a flock, its frames and trajectories, sweeps."""
