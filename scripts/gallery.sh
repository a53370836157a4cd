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

sed -n '/|/{/^#/!s/ | /|/gp}' configs/presets.txt | LC_ALL=C sort -t '|' -k 1,1 | while IFS='|' read -r name options look _; do
    config=configs/$name.json
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
poster hunt --size 900x600 --trail 60 --step 180
poster castor --size 600x800 --trail 40 --step 105 --style paper --background '#f3ead7' --palette ink
poster murmuration --size 900x600 --trail 24 --step 380 --view densest --palette ember --background '#140b10'

echo "  draw the README's pictures"
"$python" scripts/plot.py "$work/murmuration.h5" --save "$pictures/murmuration.png" --kind trails --step 900 --size 1100x700
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
