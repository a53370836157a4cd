"""What all rooms use: errors and messages, the library, configurations, arrays, the space of a flock."""
