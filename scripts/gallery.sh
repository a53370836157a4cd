#!/bin/sh
# `make gallery` runs every configuration and draws it into docs/gallery, beside its JSON. It also makes the pictures of README.md, the
# posters of docs/films.md and the curves of docs/analysis.md. The first argument is a python3 with numpy, h5py and matplotlib; a second
# one is the preset that is drawn alone.
set -eu
python=$1 only=${2-}
if [ -n "$only" ] && [ ! -e "configs/$only.json" ]; then
    echo "gallery: there is no configs/$only.json; ./boids --presets lists the presets" >&2
    exit 2
fi
work=build/gallery
out=docs/gallery
mkdir -p "$work" "$out"

title() {
    sed -n 's/^ *"title": "\(.*\)",*$/\1/p' "$1"
}

# A picture in 256 colours, which takes a third of the bytes. This way to choose the colours keeps rare ones, such as red. Adjacent pixels
# of two colours show a glow without steps.
shrink() {
    "$python" -c 'import sys; from PIL import Image
for name in sys.argv[1:]:
    image = Image.open(name).convert("RGB")
    colours = image.quantize(256, Image.Quantize.FASTOCTREE)
    image.quantize(palette=colours, dither=Image.Dither.FLOYDSTEINBERG).save(name, optimize=True)' "$@"
}

# The options of plot.py for a configuration, which choose a step with something to see, and below them a sentence about it.
describe() {
    case $1 in
    adams) options="--trail 20 --frame 240"
        look='The boids flee from the predator (red) along the diagonals.' ;;
    bees) options="--trail 30 --frame 200"
        look='There is no predator. One flock turns back at the left edge.' ;;
    castor) options="--trail 24 --frame 105"
        look='Two flocks pass through each other, because separation is weak for boids that touch.' ;;
    fish) options="--trail 90 --frame 290"
        look='Fish form small schools. The trails are wavy because separation and cohesion alternate.' ;;
    hunt) options="--trail 30 --frame 180"
        look='Each predator (red) hunts its nearest boid. Boids within range flee directly away.' ;;
    migration) options='--trail 60 --frame 130'
        look='All boids seek the first goal (a cross in a ring), and later the next ones. The wind blows upwards.' ;;
    murmuration) options='--trail 14 --frame 900'
        look='Four falcons (red) cut gaps into the flock.' ;;
    p5) options='--trail 30 --frame 85'
        look='The steering force is small, so boids move in long smooth curves.' ;;
    parker) options="--trail 10 --frame 150"
        look='All boids see each other and keep a distance of 100, so they form a jittering lattice rather than a flock.' ;;
    pico) options="--trail 12"
        look='This flock is bit for bit the same as the flock on the board. It turns back at the margin.' ;;
    pico_swarm) options="--trail 12"
        look='The board can draw this many boids in time.' ;;
    processing) options='--trail 60 --frame 250'
        look='Flocks pass through each other and turn as gently as those of p5.' ;;
    rocks) options="--trail 40 --frame 850"
        look='The school splits at the large rock and closes again behind it.' ;;
    school) options="--trail 30 --frame 400"
        look='The fish swim around the predator (red) and join again behind it.' ;;
    vicsek) options="--trail 40 --frame 600"
        look='Each boid takes the mean heading of its neighbours plus noise.' ;;
    chate) options="--trail 3 --frame 400"
        look='Ordered boids form bands that move through a disordered gas.' ;;
    couzin) options="--trail 20 --frame 2800"
        look='Sixty fish circle around their centre. Each aligns with near fish and is attracted by more distant ones.' ;;
    couzin_unit) options="--trail 20 --frame 1500"
        look='However many fish they hold, the two outer zones have the same weight, so the mill is narrower.' ;;
    topological) options="--trail 45 --frame 500"
        look='Each boid aligns with its seven nearest neighbours at any distance.' ;;
    mesa | agents) options="--trail 60 --frame 200"
        look='Birds that are updated in a random order soon align.' ;;
    eater) options="--trail 20 --frame 120"
        look='Most boids turn back at the left in a loose loop.' ;;
    cucker_smale) options="--trail 60 --frame 40"
        look='All boids see each other, and the weight of a boid falls off with its distance. Their velocities become equal.' ;;
    netlogo) options="--trail 12 --frame 500"
        look='Each rule has a largest turn of its own. Most turtles soon move in a few flocks.' ;;
    mason) options="--trail 20 --frame 150"
        look='The boids start at rest, soon align, and keep a distance of about eight units.' ;;
    *) options=''
        look='' ;;
    esac
}

cat >"$out/README.md" <<'END_OF_HEAD'
# Gallery

Each picture shows the flock of one preset at an interesting step. The colour of a boid shows its heading. To play a flock, open
[the page](../page.md) with `#preset=NAME` after its address. Below each picture are options of `boids-plot`. To draw the picture, add
them to the second command (`make gallery PRESET=NAME` draws it, too, and `make gallery` all):

```sh
./boids -c NAME -o NAME.h5
./boids-plot NAME.h5 --save NAME.png --size 480x420 --bare --kind trails --view flock
```

![all presets](../pictures/presets.png)
END_OF_HEAD

for config in configs/*.json; do
    name=$(basename "$config" .json)
    describe "$name"
    if [ "${only:-$name}" = "$name" ]; then
        echo "  run and draw $name"
        ./boids -c "$config" -q --force -o "$work/$name.h5"
        # shellcheck disable=SC2086 # several words
        "$python" scripts/plot.py "$work/$name.h5" --save "$out/$name.png" --size 480x420 --bare --kind trails --view flock $options
        shrink "$out/$name.png"
    fi
    sed 's|"\.\./data/|"../../data/|' "$config" >"$out/$name.json"
    cat >>"$out/README.md" <<END_OF_ENTRY

## $name

[$(title "$config")]($name.json). $look

[![$name]($name.png)](../page.md)

\`$options\`
END_OF_ENTRY
done

pictures=docs/pictures
"$python" -c 'import sys; from PIL import Image, ImageDraw, ImageFont
from matplotlib.font_manager import findfont
names = [path.split("/")[1][:-5] for path in sys.argv[2:]]
font = ImageFont.truetype(findfont("DejaVu Sans"), 13)
sheet = Image.new("RGB", (5 * 300, -(-len(names) // 5) * 280), "#0f1520")
for i, name in enumerate(names):
    at = i % 5 * 300, i // 5 * 280
    sheet.paste(Image.open(f"docs/gallery/{name}.png").convert("RGB").resize((300, 262)), at)
    ImageDraw.Draw(sheet).text((at[0] + 8, at[1] + 262), name, "#c8d0dc", font)
sheet.save(sys.argv[1])' "$pictures/presets.png" configs/*.json
shrink "$pictures/presets.png"
[ -z "$only" ] || exit 0

echo "  draw the posters of docs/films.md"
poster() {
    name=$1
    shift
    "$python" scripts/plot.py "$work/$name.h5" --save "$pictures/poster-$name.png" --bare --kind trails "$@"
}
poster hunt --size 900x600 --trail 60 --frame 180
poster castor --size 600x800 --trail 40 --frame 105 --style paper --background '#f3ead7' --palette ink
poster murmuration --size 900x600 --trail 24 --frame 380 --view densest --palette ember --background '#140b10'

echo "  draw the README's pictures"
"$python" scripts/plot.py "$work/murmuration.h5" --save "$pictures/murmuration.png" --kind trails --frame 900 --size 1100x700
./boids -c murmuration -s flock.count=1500 -s world.width=880 -s world.height=495 -s predators.count=2 -q --force -n 490 -o "$work/m.h5"
./boids --convert "$work/m.h5" -q --force --first 340 --every 3 -o "$work/flock.h5"
"$python" scripts/plot.py "$work/flock.h5" --save "$pictures/flock.gif" --size 640x360 --bare --fps 18 --trail 5 --loop -q

echo "  draw the curves of docs/analysis.md"
./boids -c murmuration -s title='A thousand starlings' -s flock.count=1000 -s world.width=500 -s world.height=500 \
    -n 400 --every 2 -q --force -o "$work/starlings.h5"
"$python" scripts/analyse.py "$work/starlings.h5" --only velocity_correlation -q -o "$work/analysis" >/dev/null
cp "$work/analysis/velocity_correlation.png" "$pictures/velocity_correlation.png"
./boids -c couzin -s title='A dozen fish' -s flock.count=12 -s flock.alignment.radius=1000 \
    -s flock.cohesion.inner_radius=1000 -s flock.noise.eta=0.5 -q --force -o "$work/fish.h5"
"$python" scripts/analyse.py "$work/fish.h5" --only leadership -q -o "$work/analysis" >/dev/null
cp "$work/analysis/leadership.png" "$pictures/leadership.png"
shrink "$pictures/murmuration.png" "$pictures"/poster-*.png
