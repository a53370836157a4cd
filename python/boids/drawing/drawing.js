/* A flock on a canvas: the drawing of the player (player.html) and of the live page (web/page.html).
 *
 *     const view = new FlockView(canvas, rings, redraw);
 *     view.setScene({ boids, predators, origin, size, world, ... });
 *     view.x[i] = ...; view.y[i] = ...; view.turn[i] = ...; view.speed[i] = ...;       for each agent, boids first
 *     view.draw(1);
 *
 * The numbers of an absent agent are NaN. The view owns what is seen of the world (zoom, pan, the followed agent), the colours and
 * the trails. `redraw` is called when one of them has changed. Lengths on the canvas are in device pixels. */

const HUES = 64,
  DARTS_UP_TO = 2000,
  LEAST_ZOOM = 0.1,
  MAX_ZOOM = 40,
  MOST_PIXELS = 1.6e6;
const MOST_POINTS = 2e5; /* of all trails in a picture */
const PART_OF_PIXELS = 1e5,
  PART_OF_AGENTS = 2000; /* at once, about a millisecond */
const PAIRS_TIME = 12; /* ms of one picture for pairs of boids: a page must answer within 50 */
const TURN = 2 * Math.PI;
/* Shapes of length 1 that point to the right, and a goal in pixels. */
const [DART, HAWK, GOAL] = [
  "M.6 0L-.4 .34L-.22 0L-.4-.34z",
  "M.7 0L.1 .17L-.42 .56L-.24 .1L-.46 0L-.24-.1L-.42-.56L.1-.17z",
  "M7 0A7 7 0 1 1 7-.01zM-3 0H3M0-3V3",
].map((shape) => new Path2D(shape));

const on = (target, names, call) => {
  for (const name of names.split(" ")) target.addEventListener(name, call);
};
/* A pen for pixels that are read and not shown. */
const hiddenPen = (width, height) =>
  new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

/* Mix two pixels, words of four bytes: `part` of 256 of the second one. Two channels, 16 bits apart, are multiplied at once. */
function mix(a, b, part) {
  const odd = Math.imul(a & 0xff00ff, 256 - part) + Math.imul(b & 0xff00ff, part);
  const even = Math.imul((a >>> 8) & 0xff00ff, 256 - part) + Math.imul((b >>> 8) & 0xff00ff, part);
  return ((odd >>> 8) & 0xff00ff) | (even & 0xff00ff00);
}

/* Lay a shape of soft pixels over a picture, with its centre at x, y. */
function stamp(picture, { masks, side, width, height }, x, y, colour) {
  const left = x - side / 2,
    top = y - side / 2,
    column = Math.floor(left),
    row = Math.floor(top);
  if (!(column >= 0 && row >= 0 && column + side <= width && row + side <= height)) return;
  const mask = masks[((left - column) * 4) | (((top - row) * 4) << 2)],
    first = row * width + column;
  for (let m = 0; m < mask.length; m += 2) {
    const p = first + mask[m];
    picture[p] = mix(picture[p], colour, mask[m + 1]);
  }
}

/* Call work(from, to) for parts of 0 to `count`, and yield after each. */
function* inParts(count, size, work) {
  for (let from = 0; from < count; from += size) {
    work(from, Math.min(count, from + size));
    yield;
  }
}

/* A configuration as JSON, as in the presets: a short object on one line, and each change of the schedule. */
function format(value, indent = "") {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const isList = Array.isArray(value),
    [open, close] = isList ? "[]" : "{}",
    isShort = isList ? !value[0]?.set : indent && JSON.stringify(value).length < 92,
    after = isShort ? (isList ? "" : " ") : "\n" + indent,
    before = isShort ? after : after + "  ";
  const parts = Object.entries(value).map(
    ([name, inner]) => (isList ? "" : JSON.stringify(name) + ": ") + format(inner, indent + "  "),
  );
  return open + before + parts.join("," + (before || " ")) + after + close;
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
      detail: 1 /* part of the width of pixels: fewer ones are drawn sooner */,
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
    this.hue = new Uint8Array(count).fill(HUES); /* which predators keep */
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
    this.stamps = null;
    this.forget();
    this.redraw();
  }

  colourOf(k) {
    const { colour, isLight, paint } = this,
      part = k / (HUES - 1);
    if (colour === "heading") return this.rings[Number(isLight)][k];
    if (colour === "none") return paint.text;
    if (colour === "group")
      return k === 0 ? paint.muted : `oklch(${isLight ? 0.55 : 0.8} 0.14 ${(k * 137.5) % 360})`;
    /* A perceptual ramp: lightness changes evenly, from the background to its opposite. */
    return isLight
      ? `oklch(${0.78 - 0.48 * part} ${0.1 + 0.06 * part} ${90 + 190 * part})`
      : `oklch(${0.45 + 0.48 * part} 0.15 ${285 - 190 * part})`;
  }

  /* A pixel of each of these colours of CSS. */
  pixelsOf(colours) {
    const pen = hiddenPen(colours.length, 1);
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
    const middle = isFinite(this.x[followed])
      ? [this.x[followed], this.y[followed]]
      : [0, 1].map((a) => (low[a] + high[a]) / 2 + this.pan[a]);
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
    const { scene, low, high, canvas, trail, rest } = this;
    if (!scene.follows || this.isMoved || !this.x.length) return;
    const before = this.lens();
    let isStill = true;
    for (const a of [0, 1]) {
      const { origin, size, isOpen } = scene,
        [first, last] = this.percentiles(a ? this.y : this.x, 0.01, 0.99),
        room = Math.max(0.05 * (last - first), isOpen ? (size[a] / 3 - last + first) / 2 : 0);
      const end = origin[a] + size[a],
        from = isOpen || first < origin[a] ? first - room : origin[a],
        to = isOpen || last > end ? last + room : end;
      if (!Number.isFinite(first + last)) continue;
      isStill &&= Math.abs(low[a] - from) + Math.abs(high[a] - to) < 1e-3 * (to - from);
      low[a] = Math.min(low[a] + 0.1 * (from - low[a]), first);
      high[a] = Math.max(high[a] + 0.1 * (to - high[a]), last);
    }
    if (isStill) return;
    const after = this.lens(),
      [x, y] = before.middle,
      by = [after.x(x) - canvas.width / 2 + rest[0], after.y(y) - canvas.height / 2 + rest[1]],
      whole = by.map(Math.round),
      shift = whole[1] * canvas.width + whole[0];
    this.rest = by.map((value, a) => value - whole[a]);
    this.still = null;
    trail.copyWithin(Math.max(0, shift), Math.max(0, -shift));
    if (shift < 0) trail.fill(0, shift);
    else trail.fill(0, 0, shift);
  }

  /* The position in the world of a pointer event. */
  toWorld(event) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect(),
      { middle, scale, up } = this.lens(),
      perPixel = this.canvas.width / width / scale;
    return [
      middle[0] + (event.clientX - left - width / 2) * perPixel,
      middle[1] + up * (event.clientY - top - height / 2) * perPixel,
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

  /* Follow an agent, or the flock if `agent` is -1. */
  follow(agent) {
    this.followed = agent;
    this.isMoved = agent >= 0;
    this.zoom = this.isMoved ? Math.max(3, this.zoom) : 1;
    this.moveBy(0, 0);
  }

  /* The agent next to a pointer event, or -1. */
  pick(event) {
    const [x, y] = this.toWorld(event);
    let nearest = -1,
      least = (22 * this.unit) / this.lens().scale;
    this.x.forEach((px, i) => {
      const far = Math.hypot(px - x, this.y[i] - y);
      if (far < least) {
        nearest = i;
        least = far;
      }
    });
    return nearest;
  }

  /* Wheel, pinch and drag zoom and pan, but a drag does nothing if `isHeld`; `click` is called for a press that did not move. */
  listen(click) {
    const { canvas } = this,
      pointers = new Map();
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
    on(canvas, "wheel", (event) => {
      event.preventDefault();
      this.zoomAt(event, Math.exp(-event.deltaY / 400));
    });
    on(canvas, "pointerdown", (event) => {
      if (pointers.size === 0) hasMoved = false;
      pointers.set(event.pointerId, event);
      canvas.setPointerCapture(event.pointerId);
    });
    on(canvas, "pointermove", (event) => {
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
    on(canvas, "pointerup pointercancel", ({ pointerId }) => pointers.delete(pointerId));
    on(canvas, "click", (event) => !hasMoved && click(event));
    on(canvas, "dblclick", () => this.follow(-1));
    new ResizeObserver(() => this.redraw()).observe(canvas);
  }

  /* Drawing. */

  resize() {
    const { canvas } = this,
      wide = canvas.clientWidth,
      high = canvas.clientHeight;
    this.unit =
      this.detail *
      Math.min(devicePixelRatio, clamp(Math.sqrt(MOST_PIXELS / (wide * high + 1)), 1, 2));
    const width = Math.max(1, Math.round(wide * this.unit)),
      height = Math.max(1, Math.round(high * this.unit));
    if (this.image?.width === width && this.image.height === height) return;
    Object.assign(canvas, { width, height });
    this.hidden = hiddenPen(width, height);
    this.trail = new Int32Array(width * height);
    this.image = new ImageData(width, height);
    this.still = this.picture = this.stamps = null;
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
    this.drawShapes(lens);
    if (this.followed < 0) return;
    this.still = null;
    this.drawRing(lens);
  }

  /* A margin whose sides meet has no inner box, and is not drawn. */
  hasMargin() {
    const { world } = this.scene,
      [left, right, low, high] = world?.margin ?? [0, 0, 0, 0];
    return left + right + low + high > 0 && left + right < world.width && low + high < world.height;
  }

  drawWorld(lens) {
    const { hidden: pen, paint, canvas } = this,
      { width, height } = canvas,
      { world } = this.scene;
    pen.fillStyle = world ? paint.page : paint.field;
    pen.fillRect(0, 0, width, height);
    if (world) this.drawBox(lens, world);
    return pen.getImageData(0, 0, width, height).data;
  }

  drawBox(lens, world) {
    const { hidden: pen, paint, unit } = this,
      { width, height, margin } = world;
    /* Begin a path with what add() adds in the coordinates of the world. */
    const inWorld = (add) => {
      pen.setTransform(lens.scale, 0, 0, lens.up * lens.scale, lens.x(0), lens.y(0));
      pen.beginPath();
      add();
      pen.resetTransform();
    };
    const outline = (left, right, low, high) =>
      inWorld(() => {
        const wide = width - left - right;
        if (world.isDisc) pen.arc(width / 2, height / 2, wide / 2, 0, TURN);
        else pen.rect(left, low, wide, height - low - high);
      });
    outline(0, 0, 0, 0);
    Object.assign(pen, { fillStyle: paint.field, strokeStyle: paint.box, lineWidth: unit });
    pen.fill();
    pen.stroke();
    this.drawPlaces(lens, inWorld);
    if (!this.hasMargin()) return;
    pen.setLineDash([5 * unit, 4 * unit]);
    pen.strokeStyle = paint.margin;
    pen.lineWidth = unit;
    outline(...margin);
    pen.stroke();
    pen.setLineDash([]);
  }

  /* Obstacles, on a torus with their images and within the current path, and goals: a cross in a ring. */
  drawPlaces(lens, inWorld) {
    const { hidden: pen, paint, unit, scene } = this,
      { width, height } = scene.world,
      images = scene.wraps ? [-1, 0, 1] : [0];
    pen.save();
    if (scene.wraps) pen.clip();
    inWorld(() => {
      for (const across of images)
        for (const along of images)
          for (const [x, y, radius] of scene.circles) {
            const left = x + across * width,
              low = y + along * height;
            pen.moveTo(left + radius, low);
            pen.arc(left, low, radius, 0, TURN);
          }
    });
    pen.fillStyle = paint.box;
    pen.fill();
    pen.restore();
    pen.strokeStyle = paint.text;
    pen.lineWidth = 1;
    for (const [x, y] of scene.goals) {
      pen.setTransform(unit, 0, 0, unit, lens.x(x), lens.y(y));
      pen.stroke(GOAL);
    }
    pen.resetTransform();
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
    const { x, y, lastX, lastY, hue, pixels, scene, trail } = this,
      { boidPoint, hunterPoint } = this.shapes(lens),
      far = (Math.min(...scene.size) / 4) * lens.scale;
    const most = Math.ceil(MOST_POINTS / x.length);
    for (let i = from; i < to; i++) {
      const ax = lens.x(lastX[i]),
        ay = lens.y(lastY[i]),
        dx = lens.x(x[i]) - ax,
        dy = lens.y(y[i]) - ay,
        long = Math.max(Math.abs(dx), Math.abs(dy));
      if (long > far) continue; /* across the border of a torus */
      const points = Math.min(most, Math.ceil(long / 1.2)),
        shape = i < scene.boids ? boidPoint : hunterPoint;
      for (let k = 1; k <= points; k++)
        stamp(trail, shape, ax + (dx * k) / points, ay + (dy * k) / points, pixels[hue[i]]);
    }
  }

  /* The shapes of stamp(): a dot, and the points of trails, which cover up to four pixels. */
  shapes(lens) {
    const size = this.sizeOf(lens, true);
    if (this.stamps?.size === size) return this.stamps;
    const halo = this.isLight ? 0.12 : 0.5,
      dot = (dx, dy) => {
        const far = Math.hypot(dx, dy),
          soft = halo * Math.max(0, 1 - far / (1.3 * size)) ** 2;
        return 256 * Math.max(clamp(size / 2 - far + 0.5, 0, 1), soft);
      };
    const point = (alpha) =>
      this.makeStamp(
        3,
        (dx, dy) =>
          alpha *
          Math.min(1.6, this.unit) *
          Math.max(0, 1 - Math.abs(dx)) *
          Math.max(0, 1 - Math.abs(dy)),
      );
    const side = 2 * Math.ceil(1.3 * size) + 2;
    this.stamps = {
      size,
      dot: this.makeStamp(side, dot),
      boidPoint: point(90),
      hunterPoint: point(160),
    };
    return this.stamps;
  }

  /* A shape for each of 4 x 4 positions of its centre within a pixel: pairs of an offset in the picture and the part, of 256, of
   * that pixel that it covers, which cover(dx, dy) computes from the distance of the pixel. */
  makeStamp(side, cover) {
    const { width, height } = this.canvas,
      middle = (side - 1) / 2;
    const masks = Array.from({ length: 16 }, (_, k) => {
      const mask = [];
      for (let v = 0; v < side; v++)
        for (let u = 0; u < side; u++) {
          const part = cover(u - (k & 3) / 4 - middle, v - (k >> 2) / 4 - middle);
          if (part >= 1) mask.push(v * width + u, part);
        }
      return new Int32Array(mask);
    });
    return { masks, side, width, height };
  }

  drawDots(picture, lens, from, to) {
    const { dot } = this.shapes(lens),
      { x, y, hue, pixels } = this;
    for (let i = from; i < to; i++) stamp(picture, dot, lens.x(x[i]), lens.y(y[i]), pixels[hue[i]]);
  }

  /* Fill a shape at an agent in view, and outline it with `edge`, if any. */
  drawShape(shape, i, lens, length, edge) {
    const { pen, canvas, unit } = this,
      x = lens.x(this.x[i]),
      y = lens.y(this.y[i]),
      isInView =
        x > -length && x < canvas.width + length && y > -length && y < canvas.height + length;
    if (!isInView) return;
    const turn = lens.up * this.turn[i],
      a = Math.cos(turn) * length,
      b = Math.sin(turn) * length;
    pen.setTransform(a, b, -b, a, x, y);
    pen.fill(shape);
    pen.lineWidth = unit / length;
    if (edge) pen.stroke(shape);
  }

  /* Boids as darts, unless they are dots, and predators. */
  drawShapes(lens) {
    const { pen, paint, scene } = this,
      isDots = !this.hasDarts(lens),
      size = this.sizeOf(lens, isDots),
      large = Math.max(12 * this.unit, (isDots ? 4 : 1.9) * size);
    for (let i = 0; i < scene.boids && !isDots; i++) {
      pen.fillStyle = this.palette[this.hue[i]];
      this.drawShape(DART, i, lens, size);
    }
    pen.fillStyle = paint.hunter;
    pen.strokeStyle = paint["hunter-edge"];
    for (let i = scene.boids; i < this.x.length; i++) this.drawShape(HAWK, i, lens, large, true);
    pen.resetTransform();
  }

  drawRing(lens) {
    const { pen, unit, followed, scene, x, y } = this;
    const ring = (radius, width, dash) => {
      pen.lineWidth = width * unit;
      pen.setLineDash(dash);
      pen.beginPath();
      pen.arc(lens.x(x[followed]), lens.y(y[followed]), radius, 0, TURN);
      pen.stroke();
    };
    pen.strokeStyle = this.paint.text;
    for (const radius of new Set(followed < scene.boids ? scene.radii : []))
      if (radius > 0) ring(radius * lens.scale, 1, [2 * unit, 4 * unit]);
    ring(16 * unit, 1.5, []);
  }

  /* Colours. */

  colourAgents() {
    const { hue, turn, scene, colour } = this,
      up = scene.down ? -1 : 1,
      perTurn = HUES / TURN;
    if (colour === "heading")
      for (let i = 0; i < scene.boids; i++)
        hue[i] = Math.round(up * turn[i] * perTurn) & (HUES - 1);
    else if (colour === "speed") this.spread(this.speed);
    else if (colour === "none") hue.fill(0, 0, scene.boids);
    else this.colourByPairs();
  }

  /* A large flock keeps its colours for a few pictures, until all pairs of an earlier one were looked at. */
  colourByPairs() {
    const end = performance.now() + PAIRS_TIME;
    this.pairs ??= this.colour === "group" ? this.nameGroups() : this.countNeighbours();
    while (!this.pairs.next().done) if (performance.now() > end) return this.redraw();
    this.pairs = null;
  }

  /* Percentiles of the values of the boids that are present, from at most 2,000 of them. */
  percentiles(values, ...parts) {
    const { boids } = this.scene,
      stride = Math.ceil(boids / 2000),
      sample = values
        .subarray(0, boids)
        .filter((value, k) => k % stride === 0 && isFinite(value))
        .sort();
    return parts.map(
      (part) => sample[Math[part < 0.5 ? "floor" : "ceil"](part * (sample.length - 1))],
    );
  }

  /* Spread values over the palette from their 2nd to their 98th percentile, which change slowly so that colours do not flicker. */
  spread(values) {
    const { boids } = this.scene,
      now = this.percentiles(values, 0.02, 0.98);
    if (isNaN(now[0])) return;
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
      y = this.y.slice(),
      cells = new Map();
    const radius = scene.radius || 2 * this.spacing,
      size = isTorus ? [world.width, world.height] : scene.size,
      origin = isTorus ? [0, 0] : scene.origin,
      counts = size.map((side) => clamp(Math.floor(side / radius), 1, 512));
    const cellOf = (value, a) =>
      clamp(Math.floor(((value - origin[a]) / size[a]) * counts[a]), 0, counts[a] - 1);
    const apart = (d, a) => (isTorus ? d - size[a] * Math.round(d / size[a]) : d);
    /* A cell and those on its sides, which are the same one on a torus of two cells. */
    const near = (cell, a) =>
      new Set([-1, 0, 1].map((by) => (isTorus ? (cell + by + counts[a]) % counts[a] : cell + by)));
    for (let i = 0; i < boids; i++) {
      const column = cellOf(x[i], 0),
        row = cellOf(y[i], 1),
        cell = 1024 * row + column;
      for (const u of near(column, 0))
        for (const v of near(row, 1))
          for (const j of cells.get(1024 * v + u) ?? [])
            if (apart(x[i] - x[j], 0) ** 2 + apart(y[i] - y[j], 1) ** 2 < radius * radius)
              visit(i, j);
      if (!cells.get(cell)?.push(i)) cells.set(cell, [i]);
      yield;
    }
  }

  *countNeighbours() {
    const counts = this.x.map((at) => 0 * at); /* NaN if it is absent */
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
    const isWheel = this.colour === "heading",
      stops = this.palette.filter((_, k) => k % 7 === 0),
      [low, high] = (this.range ?? []).map((value) => Number(value.toPrecision(3)));
    element.hidden = !isWheel && !this.range;
    element.innerHTML = isWheel
      ? `<i class="wheel" style="background: conic-gradient(from 90deg, ${[...stops, stops[0]].reverse()})"></i>`
      : `${low}<i style="background: linear-gradient(90deg, ${stops})"></i>${high}`;
  }
}
