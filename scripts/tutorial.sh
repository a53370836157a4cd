#!/bin/sh
# Runs the commands of docs/tutorial.md in build/tutorial and puts the pictures that it shows into docs/tutorial. `make gallery` calls it.
set -eu
root=$(pwd)
work=build/tutorial
rm -rf "$work"
mkdir -p "$work" docs/tutorial
for name in boids boids-plot boids-sweep boids-analyse configs; do
    ln -s "$root/$name" "$work/$name"
done

# The commands. Blocks with `make`, which install or keep the program, are left out.
awk '/^```sh$/ { block = ""; is_in = 1; next }
     /^```$/ { if (is_in && block !~ /(^|\n)make/) printf "%s", block; is_in = 0 }
     is_in { block = block $0 "\n" }' docs/tutorial.md >"$work/commands.sh"
(cd "$work" && sh -e commands.sh)

# The page shows a PDF as PNG.
sed -n 's|.*(tutorial/\(.*\))$|\1|p' docs/tutorial.md | while read -r picture; do
    [ -e "$work/$picture" ] ||
        (cd "$work" && sed -n "s|--save ${picture%.*}\.pdf|--save $picture|p" commands.sh | sh -e)
    cp "$work/$picture" "docs/tutorial/$picture"
done
