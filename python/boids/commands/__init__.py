"""The commands boids-plot, boids-analyse, boids-sweep, boids-tracks and boids-fit. The rest of the package does not import them."""
