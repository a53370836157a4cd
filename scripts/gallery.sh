#!/bin/sh
# `make gallery`: every configuration run and drawn into docs/gallery, its JSON beside it; the README's two pictures; the
# figures of docs/models.md. The argument is a python3 that has numpy, h5py and matplotlib.
set -eu
python=$1
work=build/gallery
out=docs/gallery
mkdir -p "$work" "$out"

title() {
    sed -n 's/^ *"title": "\(.*\)",*$/\1/p' "$1"
}

# A picture in 256 colours, which takes a third of the bytes. Of the ways to choose them this one keeps those that are few: red.
shrink() {
    "$python" -c 'import sys; from PIL import Image
for name in sys.argv[1:]: Image.open(name).convert("RGB").quantize(256, Image.Quantize.FASTOCTREE, dither=0).save(name, optimize=True)' "$@"
}

# Options of plot.py for a configuration, at a step where there is something to see, and below them what that is.
describe() {
    size='--size 640x560'
    case $1 in
    adams) options="$size --kind trails --trail 20 --frame 240"
        look='The predator (red) drives the boids out of its way along the diagonals; boids that leave the world return in a wide curve.' ;;
    bees) options="$size --kind trails --trail 30 --frame 200"
        look='Without a predator: one flock turns back at the left while another fans out of the corner below.' ;;
    castor) options="$size --kind trails --trail 24 --frame 105"
        look='Two flocks fly through each other: the push grows with the distance, so boids that touch are hardly pushed. Turns at the walls are sharp.' ;;
    fish) options="$size --kind trails --trail 45 --frame 150"
        look='Small schools; the wavy trails are fish that are pushed apart and drawn together in turn.' ;;
    hunt) options="$size --kind trails --trail 30 --frame 180"
        look='Each hunter (red) flies to its nearest boid, and boids within range flee directly away; stragglers are hunted first.' ;;
    migration) options='--size 640x420 --kind trails --trail 60 --frame 130'
        look='All fly to the first station (a cross in a ring), later to the next ones. The wind blows upwards, so paths rise above the headings.' ;;
    murmuration) options='--size 640x420 --kind trails --trail 14 --frame 900'
        look='Four falcons carve the sheet of birds; a turning flock shows a band of colours.' ;;
    p5) options='--size 640x440 --kind trails --trail 30 --frame 85'
        look='Streams begin to align: gentle steering (a bounded force) makes long smooth curves. The world wraps.' ;;
    parker) options="$size --kind trails --trail 10 --frame 150"
        look='All boids see each other and keep a distance of 100, which makes a jittering lattice rather than a flock.' ;;
    pico) options="$size --view flock"
        look='The flock that the board draws, bit for bit: one sheet folds at the margin.' ;;
    pico_swarm) options="$size --view flock"
        look='As many boids as the board draws in time: the same sheet, denser.' ;;
    processing) options='--size 640x440 --kind trails --trail 60 --frame 250'
        look='Flocks on crossing courses, steered as gently as those of p5. The world wraps.' ;;
    rocks) options="$size --kind trails --trail 40 --frame 850"
        look='The school parts at the large rock and closes up behind it: each fish turns to the side on which it would pass anyway.' ;;
    school) options="$size --kind trails --trail 30 --frame 400"
        look='Fish bend around the hunter (red) and close again behind it.' ;;
    vicsek) options="$size --kind trails --trail 20 --frame 300"
        look='Each boid takes the mean heading of its neighbours, with noise: most agree for a while.' ;;
    chate) options="$size --kind trails --trail 3 --frame 400"
        look='Order comes in bands that sweep through a disordered gas.' ;;
    couzin) options="$size --view flock --kind trails --trail 20 --frame 1500"
        look='Sixty fish circle round an empty middle: each aligns with near fish and is drawn to those beyond.' ;;
    topological) options="$size --kind trails --trail 20 --frame 300"
        look='Each boid aligns with its seven nearest neighbours at any distance.' ;;
    mesa | agents) options="$size --kind trails --trail 20 --frame 150"
        look='Birds that are updated in a random order soon align.' ;;
    eater) options="$size --kind trails --trail 20 --frame 120"
        look='Most turn back at the left in one loose loop; stragglers swing out beyond the dashes before they turn.' ;;
    mason) options="$size --kind trails --trail 20 --frame 150"
        look='They start at rest, soon align, and keep a distance of some eight units.' ;;
    *) options=$size
        look='' ;;
    esac
}

cat >"$out/README.md" <<'END_OF_HEAD'
# Gallery

Every preset at a step where there is something to see. Colour is the heading, as on the wheel. To draw a picture, add its options to
these commands (`make gallery` draws them all):

```sh
./boids -c NAME -o NAME.h5
python3 scripts/plot.py NAME.h5 --save NAME.png
```
END_OF_HEAD

for config in configs/*.json; do
    name=$(basename "$config" .json)
    echo "  run and draw $name"
    ./boids -c "$config" -q --force -o "$work/$name.h5"
    describe "$name"
    # shellcheck disable=SC2086 # several words
    "$python" scripts/plot.py "$work/$name.h5" --save "$out/$name.png" $options
    sed 's|"\.\./data/|"../../data/|' "$config" >"$out/$name.json"
    cat >>"$out/README.md" <<END_OF_ENTRY

## $name

$(title "$config"): [$name.json]($name.json). $look

![$name]($name.png)

Options: \`$options\`
END_OF_ENTRY
done

echo "  draw the README's pictures"
pictures=docs/pictures
"$python" scripts/plot.py "$work/murmuration.h5" --save "$pictures/murmuration.png" --kind trails --frame 900 --size 1100x700
./boids --convert "$work/murmuration.h5" -q --force --first 780 --every 3 -o "$work/flock.h5"
"$python" scripts/plot.py "$work/flock.h5" --save "$pictures/flock.gif" --size 560x360 --title '' --fps 20 --trail 0
shrink "$out"/*.png "$pictures/murmuration.png"
"$python" scripts/figures.py docs/figures
