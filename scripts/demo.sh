#!/bin/sh
# `make demo`: one flock as HDF5, CSV, a page for a browser, a picture and a film, in build/demo. A file that needs a missing module or
# program is left out.
set -eu
out=build/demo
film=$out/adams.mp4
command -v ffmpeg >/dev/null || film=$out/adams.gif
mkdir -p "$out"

# draw FILE MODULE...: draw the run into FILE, with a python3 that has the modules.
draw() {
    file=$1
    shift
    if found=$(sh scripts/find_python.sh "$@" 2>&1); then
        "$found" scripts/plot.py "$out/adams.h5" --save "$file"
    else
        echo "    left out: ${found#find_python: }"
    fi
}

echo "1 of 4: run configs/adams.json for 300 steps"
./boids --config configs/adams.json --steps 300 -o "$out/adams.h5" -o "$out/adams.csv" --force
echo "2 of 4: draw a page, $out/adams.html"
draw "$out/adams.html" numpy h5py
echo "3 of 4: draw a picture, $out/adams.png"
draw "$out/adams.png" numpy h5py matplotlib
echo "4 of 4: draw a film, $film"
draw "$film" numpy h5py matplotlib

echo
echo "Done. Open the page in a browser:"
echo "    file://$(pwd | sed 's/%/%25/g; s/ /%20/g')/$out/adams.html"
echo "Change something:"
echo "    ./boids -c adams --set flock.cohesion.factor=0.002 --set predators.count=3 -o mine.h5"
echo "    ./boids-plot mine.h5 --save mine.html"
