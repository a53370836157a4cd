"""Files of trajectories and tables: readers and writers."""
