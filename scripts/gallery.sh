#!/bin/sh
# `make gallery`: every configuration flown and drawn into docs/gallery, its JSON beside it, and the figures of
# docs/models.md. The argument is a python3 that has numpy, h5py and matplotlib.
set -eu
python=$1
work=build/gallery
out=docs/gallery
mkdir -p "$work" "$out"

title() {
    sed -n 's/^ *"title": "\(.*\)",*$/\1/p' "$1"
}

cat >"$out/README.md" <<'END'
# Gallery

Every configuration in `configs/`, at its last step. `make gallery` makes this folder.
END

for config in configs/*.json; do
    name=$(basename "$config" .json)
    echo "  fly and draw $name"
    ./boids -c "$config" -q --force -o "$work/$name.h5"
    "$python" scripts/plot.py "$work/$name.h5" --save "$out/$name.png" --size 540x460
    sed 's|"\.\./data/|"../../data/|' "$config" >"$out/$name.json"
    printf '\n## %s\n\n%s: [%s.json](%s.json)\n\n![%s](%s.png)\n' \
        "$name" "$(title "$config")" "$name" "$name" "$name" "$name" >>"$out/README.md"
done
"$python" scripts/figures.py docs/figures
