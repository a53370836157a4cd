#!/bin/sh
# `make demo`: one flock as HDF5, CSV, a page for a browser, a film and a picture, in build/demo. The argument is a python3 that has
# numpy, h5py and matplotlib.
set -eu
python=$1
out=build/demo
mkdir -p "$out"

echo "running configs/adams.json for 300 steps"
./boids --config configs/adams.json --steps 300 -o "$out/adams.h5" -o "$out/adams.csv" --force
echo "drawing it"
"$python" scripts/plot.py "$out/adams.h5" --save "$out/adams.html"
"$python" scripts/plot.py "$out/adams.h5" --save "$out/adams.mp4"
"$python" scripts/plot.py "$out/adams.h5" --save "$out/adams.png"

echo
echo "Done. Look at:"
for file in "$out"/adams.*; do
    echo "    $file"
done
