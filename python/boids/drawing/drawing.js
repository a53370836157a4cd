/* A flock on a canvas: the drawing of the player (player.html) and of the live page (web/page.html).
 *
 *     const view = new FlockView(canvas, rings, redraw);
 *     view.setScene({ boids, predators, origin, size, world, ... });
 *     view.x[i] = ...; view.y[i] = ...; view.turn[i] = ...; view.speed[i] = ...;       for each agent, boids first
 *     view.draw(1);
 *
 * The view owns what is seen of the world (zoom, pan, the followed agent), the colours and the trails. `redraw` is called when one
 * of them has changed. Lengths on the canvas are in device pixels. */

const HUES = 64,
  DARTS_UP_TO = 2000,
  LEAST_ZOOM = 0.1,
  MAX_ZOOM = 40,
  MOST_PIXELS = 1.6e6;
const MOST_POINTS = 2e5; /* of all trails in a picture */
const PART_OF_PIXELS = 1e5,
  PART_OF_AGENTS = 2000; /* at once, about a millisecond */
const PAIRS_TIME = 12; /* ms of one picture for pairs of boids: a page must answer within 50 */
/* Shapes of length 1 that point to the right, and a goal in pixels. */
const shapeOf = (points) => points.split(", ").map((point) => point.split(" ").map(Number));
const DART = shapeOf("0.6 0, -0.4 0.34, -0.22 0, -0.4 -0.34"),
  HAWK = shapeOf(
    "0.7 0, 0.1 0.17, -0.42 0.56, -0.24 0.1, -0.46 0, -0.24 -0.1, -0.42 -0.56, 0.1 -0.17",
  ),
  GOAL = new Path2D("M7 0A7 7 0 1 1 7-.01zM-3 0H3M0-3V3");

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

/* Mix two pixels, words of four bytes: `part` of 256 of the second one. Two channels, 16 bits apart, are multiplied at once. */
function mix(a, b, part) {
  const odd = Math.imul(a & 0xff00ff, 256 - part) + Math.imul(b & 0xff00ff, part);
  const even = Math.imul((a >>> 8) & 0xff00ff, 256 - part) + Math.imul((b >>> 8) & 0xff00ff, part);
  return ((odd >>> 8) & 0xff00ff) | (even & 0xff00ff00);
}

/* Call work(from, to) for parts of 0 to `count`, and yield after each. */
function* inParts(count, size, work) {
  for (let from = 0; from < count; from += size) {
    work(from, Math.min(count, from + size));
    yield;
  }
}

/* A configuration as JSON, as in the presets: an object of plain values on one line. */
function format(value, indent = "") {
  const isObject = value !== null && typeof value === "object",
    isList = Array.isArray(value);
  const inline = isObject && JSON.stringify(value).length < 92 && indent;
  if (!isObject) return JSON.stringify(value);
  if (isList && !value.some((item) => item?.set))
    return `[${value.map((item) => format(item, indent)).join(", ")}]`;
  const parts = isList
    ? value.map((item) => format(item, indent + "  "))
    : Object.entries(value).map(
        ([name, inner]) =>
          JSON.stringify(name) + ": " + format(inner, inline ? indent : indent + "  "),
      );
  const [open, close] = isList ? "[]" : "{}";
  return inline && !isList
    ? `{ ${parts.join(", ")} }`
    : `${open}\n${indent}  ${parts.join(`,\n${indent}  `)}\n${indent}${close}`;
}

class FlockView {
  constructor(canvas, rings, redraw) {
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    Object.assign(this, {
      canvas,
      rings,
      redraw,
      pen,
      trail: new Int32Array(0),
      colour: "heading",
      hasTrails: true,
      followed: -1,
      isLight: false,
      zoom: 1,
      pan: [0, 0],
      isMoved: false /* by a person, so the view does not follow the flock */,
      range: null,
    });
  }

  /* scene: boids, predators (numbers); origin, size ([x, y] of the part of the world that fills the view); world (width, height,
   * isDisc, margin: [left, right, low, high]; or null); wraps; isTorus (distances go across the edges); down (the y axis points down);
   * circles, goals; radius (of neighbours and groups; 0: twice the mean spacing); radii (within which a boid sees others, drawn around
   * the followed boid); follows (the view moves with the flock); isOpen (the world has no borders). */
  setScene(scene) {
    const count = scene.boids + scene.predators;
    this.scene = scene;
    this.canvas.style.setProperty("--shape", clamp(scene.size[0] / scene.size[1], 0.5, 3));
    for (const name of "x y turn speed lastX lastY".split(" "))
      this[name] = new Float32Array(count);
    this.hue = new Uint8Array(count);
    this.spacing = Math.sqrt((scene.size[0] * scene.size[1]) / Math.max(1, scene.boids));
    this.followed = -1;
    this.low = [...scene.origin]; /* the corners of the part that is in view before zoom and pan */
    this.high = scene.origin.map((low, a) => low + scene.size[a]);
    this.rest = [0, 0];
    this.forget();
  }

  /* Change a part of the scene, such as its goals, but not the number of agents. */
  changeScene(part) {
    Object.assign(this.scene, part);
    this.still = null;
  }

  /* Drop what depends on earlier frames. */
  forget() {
    this.hasLast = false;
    this.still = null; /* the picture of the world alone */
    this.range = this.pairs = this.picture = null;
    this.trail.fill(0);
  }

  setTheme(isLight) {
    this.isLight = isLight;
    document.documentElement.classList.toggle("light", isLight);
    const style = getComputedStyle(document.documentElement);
    this.paint = {};
    for (const name of "page field box margin text muted hunter hunter-edge accent".split(" "))
      this.paint[name] = style.getPropertyValue("--" + name).trim();
    this.setColour(this.colour);
  }

  setColour(colour) {
    this.colour = colour;
    this.palette = Array.from({ length: HUES }, (_, k) => this.colourOf(k));
    this.pixels = this.pixelsOf([...this.palette, this.paint.hunter]);
    this.masks = null;
    this.forget();
    this.redraw();
  }

  colourOf(k) {
    const part = k / (HUES - 1);
    if (this.colour === "heading") return this.rings[Number(this.isLight)][k];
    if (this.colour === "none") return this.paint.text;
    if (this.colour === "group")
      return k === 0
        ? this.paint.muted
        : `oklch(${this.isLight ? 0.55 : 0.8} 0.14 ${(k * 137.5) % 360})`;
    /* A perceptual ramp: lightness changes evenly, from the background to its opposite. */
    return this.isLight
      ? `oklch(${0.78 - 0.48 * part} ${0.1 + 0.06 * part} ${90 + 190 * part})`
      : `oklch(${0.45 + 0.48 * part} 0.15 ${285 - 190 * part})`;
  }

  /* A pixel of each of these colours of CSS. */
  pixelsOf(colours) {
    const pen = Object.assign(document.createElement("canvas"), {
      width: colours.length,
      height: 1,
    }).getContext("2d");
    colours.forEach((colour, k) => {
      pen.fillStyle = colour;
      pen.fillRect(k, 0, 1, 1);
    });
    return new Int32Array(pen.getImageData(0, 0, colours.length, 1).data.buffer);
  }

  /* World and canvas. */

  lens() {
    this.resize();
    const { low, high, followed } = this,
      { width, height } = this.canvas;
    const scale =
        this.zoom * Math.min(width / (high[0] - low[0]), height / (high[1] - low[1])) * 0.985,
      up = this.scene.down ? 1 : -1;
    const middle =
      followed < 0
        ? [0, 1].map((a) => (low[a] + high[a]) / 2 + this.pan[a])
        : [this.x[followed], this.y[followed]];
    return {
      scale,
      up,
      middle,
      x: (x) => width / 2 + (x - middle[0]) * scale,
      y: (y) => height / 2 + up * (y - middle[1]) * scale,
    };
  }

  /* Move the view smoothly towards the flock, but show 98 % of the boids along each axis at once. The trails move with the world. */
  followFlock() {
    const { scene, low, high, canvas, trail } = this;
    if (!scene.follows || this.isMoved || this.followed >= 0 || !this.x.length) return;
    const before = this.lens();
    let isStill = true;
    [this.x, this.y].forEach((values, a) => {
      const { origin, size, isOpen } = scene,
        [first, last] = this.percentiles(values, 0.01, 0.99),
        room = Math.max(0.05 * (last - first), isOpen ? (size[a] / 3 - last + first) / 2 : 0);
      const end = origin[a] + size[a],
        from = isOpen || first < origin[a] ? first - room : origin[a],
        to = isOpen || last > end ? last + room : end;
      if (!Number.isFinite(from + to)) return;
      const next = [low[a] + 0.1 * (from - low[a]), high[a] + 0.1 * (to - high[a])];
      isStill &&= Math.abs(low[a] - from) + Math.abs(high[a] - to) < 1e-3 * (to - from);
      low[a] = Math.min(next[0], first);
      high[a] = Math.max(next[1], last);
    });
    if (isStill) return;
    const after = this.lens(),
      by = ["x", "y"].map(
        (axis, a) =>
          after[axis](before.middle[a]) - canvas[a ? "height" : "width"] / 2 + this.rest[a],
      ),
      whole = by.map(Math.round),
      shift = whole[1] * canvas.width + whole[0];
    this.rest = by.map((value, a) => value - whole[a]);
    this.still = null;
    trail.copyWithin(Math.max(0, shift), Math.max(0, -shift));
    if (shift > 0) trail.fill(0, 0, shift);
    else if (shift < 0) trail.fill(0, shift);
  }

  /* The position in the world of a pointer event. */
  toWorld(event) {
    const box = this.canvas.getBoundingClientRect(),
      lens = this.lens(),
      unit = this.canvas.width / box.width;
    return [
      lens.middle[0] + ((event.clientX - box.left) * unit - this.canvas.width / 2) / lens.scale,
      lens.middle[1] +
        (lens.up * ((event.clientY - box.top) * unit - this.canvas.height / 2)) / lens.scale,
    ];
  }

  /* Zoom by a factor, with the pointer's place in the world unmoved. */
  zoomAt(event, factor) {
    const before = this.toWorld(event);
    this.isMoved = true;
    this.zoom = clamp(this.zoom * factor, LEAST_ZOOM, MAX_ZOOM);
    const after = this.toWorld(event);
    this.moveBy(before[0] - after[0], before[1] - after[1]);
  }

  moveBy(dx, dy) {
    const reach = Math.max(0, 1 - 1 / this.zoom) / 2 + 0.25;
    this.canvas.style.touchAction =
      this.isMoved || this.isHeld
        ? "none"
        : "pan-y"; /* a swipe over the whole flock scrolls the page */
    this.pan = [dx, dy].map((by, a) => {
      const most = reach * (this.high[a] - this.low[a]);
      return this.isMoved ? clamp(this.pan[a] + by, -most, most) : 0;
    });
    this.forget();
    this.redraw();
  }

  showAll() {
    this.zoom = 1;
    this.isMoved = false;
    this.moveBy(0, 0);
  }

  follow(agent) {
    this.followed = agent;
    if (agent < 0) return this.showAll();
    this.zoom = Math.max(3, this.zoom);
    this.isMoved = true;
    return this.moveBy(0, 0);
  }

  /* The agent next to a pointer event, or -1. */
  pick(event) {
    const [x, y] = this.toWorld(event);
    let nearest = -1,
      least = ((22 * this.unit) / this.lens().scale) ** 2;
    for (let i = 0; i < this.x.length; i++) {
      const far = (this.x[i] - x) ** 2 + (this.y[i] - y) ** 2;
      if (far < least) {
        least = far;
        nearest = i;
      }
    }
    return nearest;
  }

  /* Wheel, pinch and drag zoom and pan, but a drag does nothing if `isHeld`; `click` is called for a press that did not move. */
  listen(click) {
    const pointers = new Map();
    let hasMoved = false;
    /* The middle of the first two pointers, and the gap between them. */
    const middle = () => {
      const [a, b = a] = [...pointers.values()];
      return {
        clientX: (a.clientX + b.clientX) / 2,
        clientY: (a.clientY + b.clientY) / 2,
        gap: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY),
      };
    };
    this.canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.zoomAt(event, Math.exp(-event.deltaY / 400));
      },
      { passive: false },
    );
    this.canvas.addEventListener("pointerdown", (event) => {
      if (pointers.size === 0) hasMoved = false;
      pointers.set(event.pointerId, event);
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const last = pointers.get(event.pointerId);
      if (
        !last ||
        (!hasMoved && Math.hypot(event.clientX - last.clientX, event.clientY - last.clientY) < 5)
      )
        return;
      const before = middle(),
        from = this.toWorld(before);
      hasMoved = true;
      pointers.set(event.pointerId, event);
      const after = middle(),
        to = this.toWorld(after);
      if (this.followed < 0 && !this.isHeld) this.moveBy(from[0] - to[0], from[1] - to[1]);
      if (before.gap > 0) this.zoomAt(after, after.gap / before.gap);
    });
    for (const name of ["pointerup", "pointercancel"])
      this.canvas.addEventListener(name, (event) => pointers.delete(event.pointerId));
    this.canvas.addEventListener("click", (event) => {
      if (!hasMoved) click(event);
    });
    this.canvas.addEventListener("dblclick", () => this.follow(-1));
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
  }

  /* Drawing. */

  resize() {
    const { canvas } = this,
      wide = canvas.clientWidth,
      high = canvas.clientHeight;
    this.unit = clamp(
      Math.sqrt(MOST_PIXELS / (wide * high + 1)),
      Math.min(1, devicePixelRatio),
      Math.min(2, devicePixelRatio),
    );
    const width = Math.max(1, Math.round(wide * this.unit)),
      height = Math.max(1, Math.round(high * this.unit));
    if (this.image?.width === width && this.image.height === height) return;
    Object.assign(canvas, { width, height });
    this.trail = new Int32Array(width * height);
    this.image = new ImageData(width, height);
    this.still = this.picture = null;
    this.hasLast = false;
  }

  /* `moved`: the number of steps, or frames, since the last picture; 0: the trails stay as they are. */
  draw(moved) {
    this.begin(moved);
    this.goOn(Infinity);
  }

  /* Begin a picture; until it is finished, the agents must stay where they are. */
  begin(moved) {
    if (moved > 0) this.followFlock();
    this.picture = this.drawInParts(this.lens(), moved);
  }

  /* Go on with the picture until this time. Returns true if it is finished. */
  goOn(end) {
    while (!this.picture.next().done) if (performance.now() > end) return false;
    this.picture = null;
    return true;
  }

  *drawInParts(lens, moved) {
    this.colourAgents();
    yield;
    const still = (this.still ??= this.drawWorld(lens));
    yield;
    this.image.data.set(still); /* a new image would take half of the time of a picture */
    yield* this.drawPixels(new Int32Array(this.image.data.buffer), lens, moved);
    this.pen.putImageData(this.image, 0, 0);
    if (this.followed >= 0) this.still = null;
    this.drawShapes(lens);
    if (this.followed >= 0) this.drawRing(lens);
  }

  /* A margin whose sides meet has no inner box, and is not drawn. */
  hasMargin() {
    const { world } = this.scene,
      [left, right, low, high] = world ? world.margin : [0, 0, 0, 0];
    return left + right + low + high > 0 && left + right < world.width && low + high < world.height;
  }

  drawWorld(lens) {
    const { pen, canvas } = this;
    pen.fillStyle = this.scene.world ? this.paint.page : this.paint.field;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    if (this.scene.world) this.drawBox(lens, this.scene.world);
    return pen.getImageData(0, 0, canvas.width, canvas.height).data;
  }

  drawBox(lens, world) {
    const { pen, paint, unit } = this,
      box = (x0, y0, x1, y1) => [
        lens.x(x0),
        Math.min(lens.y(y0), lens.y(y1)),
        (x1 - x0) * lens.scale,
        (y1 - y0) * lens.scale,
      ];
    const whole = box(0, 0, world.width, world.height),
      [left, right, low, high] = world.margin;
    const outline = (x, y, width, height) => {
      pen.beginPath();
      if (world.isDisc) pen.arc(x + width / 2, y + height / 2, width / 2, 0, 2 * Math.PI);
      else pen.rect(x, y, width, height);
    };
    outline(...whole);
    pen.fillStyle = paint.field;
    pen.fill();
    pen.lineWidth = unit;
    pen.strokeStyle = paint.box;
    pen.stroke();
    this.drawPlaces(lens, whole);
    if (!this.hasMargin()) return;
    pen.setLineDash([5 * unit, 4 * unit]);
    pen.strokeStyle = paint.margin;
    outline(...box(left, low, world.width - right, world.height - high));
    pen.stroke();
    pen.setLineDash([]);
  }

  /* Obstacles, within the world, and goals: a cross in a ring. */
  drawPlaces(lens, box) {
    const { pen, paint, unit } = this,
      { circles, goals, wraps } = this.scene;
    pen.save();
    pen.beginPath();
    if (wraps) {
      pen.rect(...box);
      pen.clip();
    }
    pen.fillStyle = paint.box;
    const { width, height } = this.scene.world,
      images = wraps ? [-1, 0, 1] : [0];
    for (const [x, y, radius] of circles)
      for (const across of images)
        for (const along of images) {
          pen.beginPath();
          pen.arc(
            lens.x(x + across * width),
            lens.y(y + along * height),
            radius * lens.scale,
            0,
            2 * Math.PI,
          );
          pen.fill();
        }
    pen.restore();
    const places = new Path2D();
    for (const [x, y] of goals)
      places.addPath(GOAL, new DOMMatrix([unit, 0, 0, unit, lens.x(x), lens.y(y)]));
    pen.strokeStyle = paint.text;
    pen.lineWidth = unit;
    pen.stroke(places);
  }

  /* The length of a dart or the diameter of a dot: a part of the mean distance between boids, within limits. */
  sizeOf(lens, isDot) {
    const spacing = (this.spacing * lens.scale) / this.unit;
    return (
      this.unit *
      (isDot
        ? clamp(0.3 * spacing, 1.3, 12)
        : clamp(0.5 * spacing, 6, 10 + 8 * Math.min(2, this.zoom - 1)))
    );
  }

  hasDarts(lens) {
    return this.scene.boids <= DARTS_UP_TO || this.spacing * lens.scale > 24 * this.unit;
  }

  /* Trails and dots are drawn into the pixels, which takes a fifth of the time of paths or copies of pictures. Parts are of 256. */
  *drawPixels(picture, lens, moved) {
    if (this.hasTrails) {
      yield* this.growTrails(lens, moved);
      yield* inParts(this.trail.length, PART_OF_PIXELS, (from, to) =>
        this.layTrails(picture, from, to),
      );
    }
    if (!this.hasDarts(lens))
      yield* inParts(this.scene.boids, PART_OF_AGENTS, (from, to) =>
        this.drawDots(picture, lens, from, to),
      );
  }

  /* Add a frame to the trails without drawing it: one before the frame that will be drawn. */
  skip() {
    this.colourAgents();
    Array.from(this.growTrails(this.lens(), 1)); /* makes all parts */
  }

  *growTrails(lens, moved) {
    if (this.hasLast && moved > 0) {
      const fade = (256 * (this.hasDarts(lens) ? 0.93 : 0.88) ** moved) | 0;
      yield* inParts(this.trail.length, PART_OF_PIXELS, (from, to) =>
        this.fadeTrails(fade, from, to),
      );
      yield* inParts(this.x.length, PART_OF_AGENTS, (from, to) => this.addWay(lens, from, to));
    } else if (!this.hasLast) {
      this.trail.fill(0);
    }
    this.lastX.set(this.x);
    this.lastY.set(this.y);
    this.hasLast = true;
  }

  fadeTrails(fade, from, to) {
    const { trail } = this;
    for (let p = from; p < to; p++) if (trail[p] !== 0) trail[p] = mix(trail[p], 0, 256 - fade);
  }

  /* Lay the trails, whose colours are multiplied by their alpha, over the picture. */
  layTrails(picture, from, to) {
    const { trail } = this;
    for (let p = from; p < to; p++)
      if (trail[p] !== 0) picture[p] = mix(picture[p], 0, trail[p] >>> 24) + trail[p];
  }

  /* Add the way of these agents since the last frame to the trails, in points that are shared by four pixels. */
  addWay(lens, from, to) {
    const { x, y, lastX, lastY, hue, pixels, scene, unit } = this,
      far = (Math.min(...scene.size) / 4) * lens.scale;
    const most = Math.ceil(MOST_POINTS / x.length);
    for (let i = from; i < to; i++) {
      const dx = (x[i] - lastX[i]) * lens.scale,
        dy = lens.up * (y[i] - lastY[i]) * lens.scale,
        long = Math.max(Math.abs(dx), Math.abs(dy));
      if (long > far) continue; /* across the border of a torus */
      const points = Math.min(most, Math.ceil(long / 1.2)),
        ax = lens.x(lastX[i]),
        ay = lens.y(lastY[i]);
      const colour = pixels[i < scene.boids ? hue[i] : HUES],
        alpha = (i < scene.boids ? 90 : 160) * Math.min(1.6, unit);
      for (let k = 1; k <= points; k++)
        this.addPoint(ax + (dx * k) / points, ay + (dy * k) / points, colour, alpha);
    }
  }

  addPoint(px, py, colour, alpha) {
    const { trail } = this,
      { width, height } = this.canvas,
      column = Math.floor(px),
      row = Math.floor(py);
    if (column < 0 || row < 0 || column >= width - 1 || row >= height - 1) return;
    const right = px - column,
      below = py - row,
      p = row * width + column;
    trail[p] = mix(trail[p], colour, (alpha * (1 - right) * (1 - below)) | 0);
    trail[p + 1] = mix(trail[p + 1], colour, (alpha * right * (1 - below)) | 0);
    trail[p + width] = mix(trail[p + width], colour, (alpha * (1 - right) * below) | 0);
    trail[p + width + 1] = mix(trail[p + width + 1], colour, (alpha * right * below) | 0);
  }

  /* How much of each pixel a soft dot covers, for 4 x 4 positions of its centre within a pixel. */
  makeMasks(size) {
    const side = 2 * Math.ceil(1.3 * size) + 2,
      halo = this.isLight ? 0.12 : 0.5,
      masks = [];
    for (let k = 0; k < 16; k++) {
      const [cx, cy] = [side / 2 + (k & 3) / 4, side / 2 + (k >> 2) / 4];
      masks.push(
        Uint16Array.from({ length: side * side }, (_, i) => {
          const far = Math.hypot((i % side) + 0.5 - cx, Math.floor(i / side) + 0.5 - cy);
          return (
            256 *
            Math.max(
              clamp(size / 2 - far + 0.5, 0, 1),
              halo * Math.max(0, 1 - far / (1.3 * size)) ** 2,
            )
          );
        }),
      );
    }
    return { masks, side, size };
  }

  drawDots(picture, lens, from, to) {
    const size = this.sizeOf(lens, true);
    if (this.masks?.size !== size) this.masks = this.makeMasks(size);
    const { masks, side } = this.masks,
      { x, y, hue, pixels } = this,
      { width, height } = this.canvas;
    for (let i = from; i < to; i++) {
      const px = lens.x(x[i]) - side / 2,
        py = lens.y(y[i]) - side / 2,
        column = Math.floor(px),
        row = Math.floor(py);
      if (!(column >= 0 && row >= 0 && column + side < width && row + side < height)) continue;
      const mask = masks[((px - column) * 4) | (((py - row) * 4) << 2)],
        colour = pixels[hue[i]];
      for (let v = 0, m = 0; v < side; v++)
        for (let u = 0, p = (row + v) * width + column; u < side; u++, m++, p++)
          if (mask[m] !== 0) picture[p] = mix(picture[p], colour, mask[m]);
    }
  }

  addShape(path, shape, i, lens, length) {
    const x = lens.x(this.x[i]),
      y = lens.y(this.y[i]),
      { width, height } = this.canvas;
    if (!(
      Math.abs(x - width / 2) < width / 2 + length && Math.abs(y - height / 2) < height / 2 + length
    ))
      return;
    const turn = lens.up * this.turn[i],
      c = Math.cos(turn) * length,
      s = Math.sin(turn) * length;
    shape.forEach(([ahead, aside], k) =>
      path[k ? "lineTo" : "moveTo"](x + ahead * c - aside * s, y + ahead * s + aside * c),
    );
    path.closePath();
  }

  /* Boids as darts, unless they are dots, and predators. */
  drawShapes(lens) {
    const { pen, paint, scene } = this,
      isDots = !this.hasDarts(lens),
      size = this.sizeOf(lens, isDots);
    if (!isDots) {
      const paths = Array.from({ length: HUES }, () => new Path2D());
      for (let i = 0; i < scene.boids; i++) this.addShape(paths[this.hue[i]], DART, i, lens, size);
      paths.forEach((path, k) => {
        pen.fillStyle = this.palette[k];
        pen.fill(path);
      });
    }
    const hunters = new Path2D();
    for (let i = scene.boids; i < this.x.length; i++)
      this.addShape(
        hunters,
        HAWK,
        i,
        lens,
        Math.max(12 * this.unit, isDots ? 4 * size : 1.9 * size),
      );
    pen.fillStyle = paint.hunter;
    pen.strokeStyle = paint["hunter-edge"];
    pen.lineWidth = this.unit;
    pen.fill(hunters);
    pen.stroke(hunters);
  }

  drawRing(lens) {
    const { pen, unit, followed, scene } = this,
      radii =
        followed < scene.boids ? [...new Set(scene.radii)].filter((radius) => radius > 0) : [];
    pen.strokeStyle = this.paint.text;
    for (const [radius, width, dash] of [
      [16 * unit, 1.5, []],
      ...radii.map((radius) => [radius * lens.scale, 1, [2, 4]]),
    ]) {
      pen.lineWidth = width * unit;
      pen.setLineDash(dash.map((length) => length * unit));
      pen.beginPath();
      pen.arc(lens.x(this.x[followed]), lens.y(this.y[followed]), radius, 0, 2 * Math.PI);
      pen.stroke();
    }
    pen.setLineDash([]);
  }

  /* Colours. */

  colourAgents() {
    const { hue, turn, scene, colour } = this,
      up = scene.down ? -1 : 1,
      perTurn = HUES / (2 * Math.PI);
    if (colour === "heading")
      for (let i = 0; i < scene.boids; i++)
        hue[i] = Math.round(up * turn[i] * perTurn) & (HUES - 1);
    else if (colour === "speed") this.spread(this.speed);
    else if (colour === "none") hue.fill(0);
    else this.colourByPairs();
  }

  /* A large flock keeps its colours for a few pictures, until all pairs of an earlier one were looked at. */
  colourByPairs() {
    const end = performance.now() + PAIRS_TIME;
    this.pairs ??= this.colour === "group" ? this.nameGroups() : this.countNeighbours();
    while (!this.pairs.next().done)
      if (performance.now() > end) {
        this.redraw();
        return;
      }
    this.pairs = null;
  }

  /* Percentiles of the values of the boids, from at most 2,000 of them. */
  percentiles(values, ...parts) {
    const { boids } = this.scene,
      stride = Math.ceil(boids / 2000);
    const sample = Float32Array.from(
      { length: Math.ceil(boids / stride) },
      (_, k) => values[k * stride],
    ).sort();
    return parts.map(
      (part) => sample[Math[part < 0.5 ? "floor" : "ceil"](part * (sample.length - 1))],
    );
  }

  /* Spread values over the palette from their 2nd to their 98th percentile, which change slowly so that colours do not flicker. */
  spread(values) {
    const { boids } = this.scene,
      now = this.percentiles(values, 0.02, 0.98);
    this.range = this.range ? this.range.map((value, k) => value + 0.05 * (now[k] - value)) : now;
    const [low, high] = this.range,
      scale = (HUES - 1) / Math.max(high - low, 1e-6 * Math.abs(high), 1e-30);
    for (let i = 0; i < boids; i++)
      this.hue[i] = clamp(Math.round((values[i] - low) * scale), 0, HUES - 1);
  }

  /* Call visit(i, j) for each pair of boids within the radius, found through a grid of cells, and yield after each boid. */
  *forPairs(visit) {
    const { scene } = this,
      { boids, isTorus, world } = scene,
      x = this.x.slice(),
      y = this.y.slice();
    const radius = scene.radius || 2 * this.spacing,
      size = isTorus ? [world.width, world.height] : scene.size,
      origin = isTorus ? [0, 0] : scene.origin;
    /* On a torus of two cells, each would be on both sides of the other. */
    const counts = size.map((side) => clamp(Math.floor(side / radius), 1, 512)),
      [columns, rows] = counts.map((count) => (isTorus && count < 3 ? 1 : count));
    const cellOf = (value, a, count) =>
      clamp(Math.floor(((value - origin[a]) / size[a]) * count), 0, count - 1);
    const apart = (d, a) => (isTorus ? d - size[a] * Math.round(d / size[a]) : d);
    const near = (at, count) =>
      (count === 1 ? [0] : [at - 1, at, at + 1])
        .map((k) => (isTorus ? (k + count) % count : k))
        .filter((k) => k >= 0 && k < count);
    const cells = new Map();
    for (let i = 0; i < boids; i++) {
      const column = cellOf(x[i], 0, columns),
        row = cellOf(y[i], 1, rows);
      for (const u of near(column, columns))
        for (const v of near(row, rows))
          for (const j of cells.get(v * columns + u) ?? [])
            if (apart(x[i] - x[j], 0) ** 2 + apart(y[i] - y[j], 1) ** 2 < radius * radius)
              visit(i, j);
      const cell = row * columns + column;
      if (!cells.get(cell)?.push(i)) cells.set(cell, [i]);
      yield;
    }
  }

  *countNeighbours() {
    const counts = new Float32Array(this.scene.boids);
    yield* this.forPairs((i, j) => {
      counts[i]++;
      counts[j]++;
    });
    this.spread(counts);
  }

  /* A group has the colour of its smallest id, so that it keeps its colour from frame to frame; a boid alone is grey. */
  *nameGroups() {
    const { boids } = this.scene,
      root = Int32Array.from({ length: boids }, (_, i) => i);
    const find = (i) => {
      while (root[i] !== i) i = root[i] = root[root[i]];
      return i;
    };
    const isAlone = new Uint8Array(boids).fill(1);
    yield* this.forPairs((i, j) => {
      const a = find(i),
        b = find(j);
      root[Math.max(a, b)] = Math.min(a, b);
      isAlone[i] = isAlone[j] = 0;
    });
    for (let i = 0; i < boids; i++) this.hue[i] = isAlone[i] ? 0 : 1 + (find(i) % (HUES - 1));
  }

  /* A legend in `element`: a ramp between two numbers, or a wheel of headings. */
  showLegend(element) {
    const bar = document.createElement("i"),
      text = (value) => String(Number(value.toPrecision(3)));
    const stops = this.palette.filter((_, k) => k % 7 === 0),
      isWheel = this.colour === "heading";
    bar.className = isWheel ? "wheel" : "";
    bar.style.background = isWheel
      ? `conic-gradient(from 90deg, ${[stops[0], ...stops.slice(1).reverse(), stops[0]].join(", ")})`
      : `linear-gradient(90deg, ${stops.join(", ")})`;
    element.hidden = !isWheel && !this.range;
    element.replaceChildren(
      ...(isWheel ? [bar] : this.range ? [text(this.range[0]), bar, text(this.range[1])] : []),
    );
  }
}
