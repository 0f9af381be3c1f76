// The picture of one run: it draws, plays, and keeps one selection. It decides nothing: bytes, times, events and the verdict
// come from Python. Text of a stream reaches the page through textContent alone, with what steers it written out.

const LIGHT = { ink: "#1f2328", dim: "#57606a", line: "#8c959f", chunk: "#2f7fbf", chunk2: "#8fc1e8", event: "#1f7a4a",
  event2: "#86c7a3", mark: "#9a4a00", bad: "#b42318", good: "#1a7f37", pick: "#8250df" };
const DARK = { ink: "#e6edf3", dim: "#a8b1bb", line: "#7d8590", chunk: "#58a6ff", chunk2: "#27598c", event: "#4cc38a",
  event2: "#22674a", mark: "#f0a35e", bad: "#ff8e84", good: "#56d364", pick: "#c297ff" };
const LANE = 26, LANES = ["notes", "chunks", "events", "ruler", "arrivals", "waiting"], BYTE_LANES = 4, ROW = 32, ROWS = 9;
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 20];
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const visible = (text) => text.replace(STEERING, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
const oneLine = (text) => visible(text).replace(/\n/g, "\\n").replace(/\t/g, "\\t");
const format = new Intl.NumberFormat("en");
const NAMED = { 9: "\\t", 10: "\\n", 13: "\\r", 32: "\u00a0" };
const printable = (byte) => NAMED[byte] || (byte > 32 && byte < 127 ? String.fromCharCode(byte) : "·");
const number = (n) => format.format(Math.round(n));
const count = (n, what) => `${number(n)} ${what}${n === 1 ? "" : "s"}`;

/** How many of the increasing `ends` are at most `value`. */
function upTo(ends, value) {
  let low = 0, high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] <= value) low = middle + 1; else high = middle;
  }
  return low;
}

/** The typed array in a trait. A view's offset need not be aligned, so it is copied. */
function numbers(model, name, Kind) {
  const view = model.get(name);
  if (!view || !view.byteLength) return new Kind(0);
  return new Kind(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null) element.setAttribute(name, value);
  }
  if (["button", "select", "input", "summary"].includes(tag) || attributes.tabindex) element.dataset.lmSuppressShortcuts = "true";
  element.append(...children);
  return element;
}

class Picture {
  constructor(model, el) {
    Object.assign(this, { model, playing: false, rate: 1 });
    this.build(el);
    this.watch();
    this.load();
  }

  // what there is
  build(el) {
    const lm = { "data-lm-suppress-shortcuts": "true" };
    this.outcome = make("p", { role: "status" });
    this.error = make("p", { role: "alert", class: "re-error" });
    this.play = make("button", { type: "button", onclick: () => this.toggle() }, "Play");
    this.speed = make("select", { "aria-label": "Speed", onchange: () => { this.rate = Number(this.speed.value); } },
      ...SPEEDS.map((x) => make("option", { value: x }, x + "×")));
    this.speed.value = "1";
    this.time = make("input", { type: "range", min: 0, max: 1000, step: 1, "aria-label": "Time", oninput: () => { this.pause(); this.seek(this.time.value / 1000 * this.total); } });
    this.now = make("span", { class: "re-where" });
    const cut = make("button", { type: "button", onclick: () => this.send("cut") }, "Cut here");
    const end = make("button", { type: "button", onclick: () => this.send("end") }, "End here");
    this.canvas = make("canvas", { "aria-hidden": "true" });
    this.ruler = make("div", { class: "re-ruler", role: "slider", tabindex: 0, "aria-label": "Byte", "aria-valuemin": 0, ...lm,
      onkeydown: (event) => this.key(event), onpointerdown: (event) => this.point(event), onwheel: (event) => this.wheel(event) }, this.canvas);
    const names = make("div", { class: "re-names", "aria-hidden": "true" }, ...LANES.map((name) => make("span", {}, name)));
    this.where = make("p", { class: "re-where" });
    this.bytes = make("div", { class: "re-bytes", "aria-hidden": "true" });
    this.rows = make("tbody");
    const head = [["#", "4em"], ["type", "9em"], ["from byte", "6em"], ["bytes", "5em"], ["complete", "7em"], ["chunks", "6em"], ["data", null]];
    const table = make("table", { class: "re-events" }, make("caption", {}, "Events around the selection"),
      make("thead", {}, make("tr", {}, ...head.map(([name, width]) => make("th", { scope: "col", style: width && `width:${width}` }, name)))), this.rows);
    this.noteList = make("ol", { class: "re-notes", tabindex: 0, "aria-label": "Notable places" });
    this.noteCount = make("summary");
    this.ours = make("div");
    this.theirs = make("div");
    this.test = make("pre");
    this.command = make("pre");
    this.copied = make("span", { role: "status", class: "re-dim" });
    const copy = (label, from) => make("button", { type: "button", onclick: () => this.copy(from, label) }, label);
    const keys = "Keys on the lanes: arrows byte, [ ] chunk, , . event, n p note, + - 0 zoom, space play, x cut, e end, Home End.";
    this.stage = make("div", { class: "re-stage" },
      make("div", { class: "re-bar" }, this.play, this.speed, this.time, this.now, cut, end),
      make("div", { class: "re-lanes" }, names, this.ruler),
      this.where, this.bytes, table,
      make("details", {}, this.noteCount, this.noteList),
      make("div", { class: "re-pair" }, this.ours, this.theirs),
      make("details", { open: "" }, make("summary", {}, "As code"),
        make("div", { class: "re-bar" }, copy("Copy test", this.test), copy("Copy command", this.command), this.copied), this.test, this.command),
      make("p", { class: "re-dim" }, keys));
    this.root = make("section", { class: "recorder-explorer", "aria-label": "Event stream" }, this.outcome, this.error, this.stage);
    el.append(this.root);
  }

  watch() {
    this.listeners = [];
    const on = (name, callback) => { this.model.on(name, callback); this.listeners.push([name, callback]); };
    for (const name of ["view", "body", "chunk_ends", "chunk_ms", "event_ends", "event_types"]) on("change:" + name, () => this.later(true));
    on("change:cursor", () => { if (this.model.get("cursor") !== this.cursor) { this.select(this.model.get("cursor"), false); } });
    on("change:error", () => this.showError());
    on("msg:custom", (message, buffers) => this.received(message, buffers));
    this.resized = new ResizeObserver(() => this.later());
    this.resized.observe(this.ruler);
    this.themed = new MutationObserver(() => this.later());
    for (const element of [document.documentElement, document.body]) this.themed.observe(element, { attributes: true });
  }

  close() {
    this.closed = true;
    this.pause();
    cancelAnimationFrame(this.frame);
    for (const observer of [this.resized, this.themed]) observer.disconnect();
    for (const [name, callback] of this.listeners) this.model.off(name, callback);
    this.root.remove();
  }

  /** Redraw in the next frame: one change of Python's is several of ours. */
  later(reload = false) {
    this.reload = this.reload || reload;
    if (this.frame || this.closed) return;
    this.frame = requestAnimationFrame(() => { this.frame = 0; if (this.reload) this.load(); else this.draw(); });
  }

  load() {
    const model = this.model, view = model.get("view") || {}, size = view.size || 0;
    Object.assign(this, { view, size, reload: false, asked: -1, shownMark: null, low: 0, high: Math.max(1, size) });
    this.chunkEnds = numbers(model, "chunk_ends", Uint32Array);
    this.chunkMs = numbers(model, "chunk_ms", Float64Array);
    this.eventEnds = numbers(model, "event_ends", Uint32Array);
    this.eventTypes = numbers(model, "event_types", Uint16Array);
    this.clock();
    this.window = { start: 0, bytes: numbers(model, "body", Uint8Array) };
    this.pause();
    this.at = this.total;
    this.select(Math.min(model.get("cursor") || 0, this.size), false);
    this.outcome.textContent = view.outcome || "";
    this.showError();
    this.showNotes();
    this.test.textContent = visible(view.test || "");
    this.command.textContent = visible(view.command || "");
    this.copied.textContent = "";
    this.draw();
  }

  /** Times to play by. Without delays everything comes at once: then one chunk after the other, and it says so. */
  clock() {
    const n = this.chunkEnds.length, end = this.view.end_ms || 0;
    this.timed = end > 0;
    const step = Math.max(1, Math.min(150, 8000 / Math.max(1, n)));
    this.times = this.timed ? this.chunkMs : Float64Array.from(this.chunkMs, (_, index) => (index + 1) * step);
    this.total = this.timed ? Math.max(end, n ? this.times[n - 1] : 0) : Math.max(1, n * step);
  }

  showError() {
    this.error.textContent = visible(this.model.get("error") || "");
    this.root.dataset.stale = String(Boolean(this.model.get("error")));
  }

  showNotes() {
    const notes = this.view.notes || [];
    this.noteCount.textContent = `${notes.length} notable place${notes.length === 1 ? "" : "s"}`;
    this.noteList.replaceChildren(...notes.map(([at, kind, text]) =>
      make("li", {}, make("button", { type: "button", onclick: () => this.select(at) }, `byte ${number(at)}`), ` ${kind}: ${text}`)));
  }

  // one selection
  chunkAt(byte) { return Math.min(upTo(this.chunkEnds, byte), Math.max(0, this.chunkEnds.length - 1)); }
  eventAt(byte) { return upTo(this.eventEnds, byte); }
  startOf(ends, index) { return index > 0 ? ends[index - 1] : 0; }

  select(byte, tell = true) {
    this.cursor = Math.max(0, Math.min(this.size, Math.round(byte)));
    if (this.cursor < this.low || this.cursor >= this.high) {
      const width = this.high - this.low;
      this.low = Math.max(0, Math.min(this.size - width, this.cursor - width / 2));
      this.high = this.low + width;
    }
    if (tell && this.model.get("cursor") !== this.cursor) { this.model.set("cursor", this.cursor); this.model.save_changes(); }
    this.later();
  }

  step(ends, by) {
    const index = upTo(ends, this.cursor), start = this.startOf(ends, index);
    if (by > 0) this.select(index < ends.length ? ends[index] : this.size);
    else this.select(this.cursor > start ? start : this.startOf(ends, index - 1));
  }

  note(by) {
    const places = (this.view.notes || []).map((note) => note[0]);
    const found = by > 0 ? places.find((at) => at > this.cursor) : places.reverse().find((at) => at < this.cursor);
    if (found !== undefined) this.select(found);
  }

  zoom(factor, around = this.cursor) {
    const width = Math.max(Math.min(32, this.size || 1), Math.min(this.size || 1, (this.high - this.low) * factor));
    const part = (around - this.low) / Math.max(1, this.high - this.low);
    this.low = Math.max(0, Math.min((this.size || 1) - width, around - part * width));
    this.high = this.low + width;
    this.later();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {
      ArrowLeft: () => this.select(this.cursor - 1), ArrowRight: () => this.select(this.cursor + 1),
      "[": () => this.step(this.chunkEnds, -1), "]": () => this.step(this.chunkEnds, 1),
      ",": () => this.step(this.eventEnds, -1), ".": () => this.step(this.eventEnds, 1),
      n: () => this.note(1), p: () => this.note(-1),
      "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), 0: () => this.zoom(Infinity),
      " ": () => this.toggle(), x: () => this.send("cut"), e: () => this.send("end"),
      Home: () => this.select(0), End: () => this.select(this.size),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  }

  point(event) {
    const box = this.canvas.getBoundingClientRect(), part = (event.clientX - box.left) / box.width;
    if ((event.clientY - box.top) < BYTE_LANES * LANE) this.select(Math.floor(this.low + part * (this.high - this.low)));
    else { this.pause(); this.seek(part * this.total); }
  }

  wheel(event) {
    if (!event.ctrlKey && !event.shiftKey) return; // a plain wheel scrolls the notebook
    event.preventDefault();
    const box = this.canvas.getBoundingClientRect();
    const around = this.low + (event.clientX - box.left) / box.width * (this.high - this.low);
    this.zoom((event.deltaY || event.deltaX) > 0 ? 1.25 : 0.8, around);
  }

  /** A message carries its byte: it may overtake the change of the cursor. */
  send(type) { this.model.send({ type, at: this.cursor }); }

  // time
  toggle() { if (this.playing) this.pause(); else this.start(); }

  start() {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) { this.seek(this.total); return; }
    if (this.at >= this.total) this.at = 0;
    this.playing = true;
    this.play.textContent = "Pause";
    let before = performance.now();
    const tick = (moment) => {
      if (!this.playing) return;
      this.seek(this.at + (moment - before) * this.rate);
      before = moment;
      if (this.at >= this.total) this.pause();
      else this.ticking = requestAnimationFrame(tick);
    };
    this.ticking = requestAnimationFrame(tick);
  }

  pause() { this.playing = false; cancelAnimationFrame(this.ticking); this.play.textContent = "Play"; }
  seek(moment) { this.at = Math.max(0, Math.min(this.total, moment)); this.later(); }

  get arrivedChunks() { return this.at >= this.total ? this.chunkEnds.length : upTo(this.times, this.at); }
  get arrived() { return this.startOf(this.chunkEnds, this.arrivedChunks); }

  // bytes
  async copy(from, label) {
    try { await navigator.clipboard.writeText(from.textContent); this.copied.textContent = label + ": copied"; }
    catch {
      getSelection().selectAllChildren(from);
      this.copied.textContent = document.execCommand("copy") ? label + ": copied" : "selected: copy it with the keyboard";
    }
  }

  received(message, buffers) {
    if (!message || message.type !== "bytes" || !buffers.length) return;
    const view = buffers[0];
    this.window = { start: message.start, bytes: new Uint8Array(view.buffer ?? view, view.byteOffset ?? 0, view.byteLength) };
    this.asked = -1;
    this.later();
  }

  /** The bytes from `start` to `stop` as far as they are here; the rest is asked for. */
  slice(start, stop) {
    const { start: from, bytes } = this.window;
    const inside = start >= from && Math.min(stop, this.size) <= from + bytes.length;
    if (!inside && this.asked !== this.cursor) { this.asked = this.cursor; this.send("bytes"); }
    return bytes.subarray(Math.max(0, start - from), Math.max(0, stop - from));
  }

  // drawing
  palette() {
    let element = this.root, colour = null;
    while (element && !colour) {
      const found = getComputedStyle(element).backgroundColor.match(/[\d.]+/g);
      if (found && (found.length < 4 || Number(found[3]) > 0)) colour = found.slice(0, 3).map(Number);
      element = element.parentElement;
    }
    const [r, g, b] = colour || [255, 255, 255];
    const palette = 0.2126 * r + 0.7152 * g + 0.0722 * b < 110 ? DARK : LIGHT;
    if (palette !== this.colours) {
      this.colours = palette;
      for (const name of ["ink", "dim", "line", "chunk", "event", "mark", "bad", "good", "pick"]) this.root.style.setProperty("--re-" + name, palette[name]);
    }
    return palette;
  }

  draw() {
    if (this.closed) return;
    const colours = this.palette(), width = this.ruler.clientWidth, ratio = devicePixelRatio || 1, height = LANES.length * LANE;
    this.write();
    if (!width) return;
    Object.assign(this.canvas, { width: width * ratio, height: height * ratio });
    this.canvas.style.height = height + "px";
    const g = this.canvas.getContext("2d");
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    const x = (byte) => (byte - this.low) / (this.high - this.low) * width;
    this.drawNotes(g, x, width, colours);
    this.drawPieces(g, x, width, this.chunkEnds, 1, colours.chunk, colours.chunk2);
    this.drawPieces(g, x, width, this.eventEnds, 2, colours.event, colours.event2);
    this.drawScale(g, x, width, colours);
    this.drawTime(g, width, colours);
    const arrived = x(this.arrived);
    g.fillStyle = colours.dim;
    g.globalAlpha = 0.35;
    if (arrived < width) g.fillRect(Math.max(0, arrived), LANE, width, 2 * LANE - 4);
    g.globalAlpha = 1;
    g.fillStyle = colours.pick;
    g.fillRect(Math.round(x(this.cursor)) - 1, 0, 2, BYTE_LANES * LANE);
    g.fillRect(Math.min(width - 2, this.at / this.total * width), BYTE_LANES * LANE, 2, 2 * LANE);
  }

  drawNotes(g, x, width, colours) {
    for (const [at, kind] of this.view.notes || []) {
      const place = x(at);
      if (place < -1 || place > width + 1) continue;
      g.fillStyle = kind === "end" ? colours.bad : kind === "verdict" ? colours.good : colours.mark;
      g.beginPath();
      g.moveTo(place, LANE - 6);
      g.lineTo(place - 4, LANE - 16);
      g.lineTo(place + 4, LANE - 16);
      g.fill();
    }
  }

  /** Pieces in two colours by turns; where they are narrower than 2 px, columns in one colour as high as they are many. */
  drawPieces(g, x, width, ends, lane, one, other) {
    const first = upTo(ends, this.low), last = Math.min(ends.length, upTo(ends, this.high) + 1), top = lane * LANE, tall = LANE - 6;
    if ((last - first) * 2 <= width) {
      for (let index = first; index < last; index += 1) {
        const start = Math.max(0, x(this.startOf(ends, index)));
        g.fillStyle = index % 2 ? other : one;
        g.fillRect(start, top, Math.max(1, Math.min(width, x(ends[index])) - start), tall);
      }
      return;
    }
    const counts = [], span = this.high - this.low;
    let most = 1;
    for (let column = 0, before = first; column < width; column += 1) {
      const after = upTo(ends, this.low + (column + 1) / width * span);
      counts.push(after - before);
      most = Math.max(most, after - before);
      before = after;
    }
    g.fillStyle = one;
    counts.forEach((count, column) => { if (count) { const high = Math.max(1, tall * count / most); g.fillRect(column, top + tall - high, 1, high); } });
  }

  drawScale(g, x, width, colours) {
    const span = this.high - this.low, rough = span / Math.max(1, width / 90), power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
    const step = Math.max(1, [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) || power);
    g.fillStyle = colours.dim;
    g.font = "11px sans-serif";
    for (let byte = Math.ceil(this.low / step) * step; byte <= this.high; byte += step) {
      const place = x(byte), label = number(byte), wide = g.measureText(label).width;
      g.fillRect(place, 3 * LANE, 1, 5);
      g.fillText(label, Math.min(Math.max(0, place - wide / 2), width - wide), 3 * LANE + 17);
    }
  }

  /** Arrivals: height is bytes. Below: bytes that arrived and still wait for the end of their event. */
  drawTime(g, width, colours) {
    const bytes = new Float64Array(width + 1), waiting = new Float64Array(width + 1), tall = LANE - 6;
    this.chunkEnds.forEach((end, index) => {
      const column = Math.min(width, Math.floor(this.times[index] / this.total * width));
      bytes[column] += end - this.startOf(this.chunkEnds, index);
      waiting[column] = Math.max(waiting[column], end - this.startOf(this.eventEnds, upTo(this.eventEnds, end)));
    });
    const bars = (values, top, colour) => {
      const most = values.reduce((one, other) => Math.max(one, other), 1);
      g.fillStyle = colour;
      values.forEach((value, column) => {
        const high = Math.max(2, tall * value / most);
        if (value) g.fillRect(Math.min(column, width - 2), top + tall - high, 2, high);
      });
      g.fillStyle = colours.line;
      g.fillRect(0, top + tall, width, 1);
    };
    bars(bytes, 4 * LANE, colours.chunk);
    bars(waiting, 5 * LANE, colours.mark);
  }

  // words
  write() {
    const chunk = this.chunkAt(this.cursor), event = this.eventAt(this.cursor), arrived = this.arrived;
    const chunks = this.arrivedChunks, events = upTo(this.eventEnds, arrived);
    this.time.value = Math.round(this.at / this.total * 1000);
    const clock = this.timed ? `${number(this.at)} of ${number(this.total)} ms` : "no delays: one chunk after the other";
    this.time.setAttribute("aria-valuetext", clock);
    this.now.textContent = [clock, count(arrived, "byte"), count(chunks, "chunk"), count(events, "event")].join(", ");
    this.writeBytes(arrived);
    const byte = this.slice(this.cursor, this.cursor + 1)[0];
    const hex = this.cursor < this.size && byte !== undefined ? `, 0x${byte.toString(16).padStart(2, "0")}` : "";
    const inEvent = event < this.eventEnds.length ? `event ${number(event + 1)}` : "no complete event";
    const here = `byte ${number(this.cursor)}${hex}, chunk ${number(chunk + (this.chunkEnds.length ? 1 : 0))}, ${inEvent}`;
    const note = (this.view.notes || []).find(([at]) => at === this.cursor);
    this.where.textContent = note ? `${here}. ${note[1]}: ${note[2]}` : here;
    for (const [name, value] of [["max", this.size], ["now", this.cursor], ["text", here]]) this.ruler.setAttribute("aria-value" + name, value);
    this.writeEvents(event, events);
    this.writeResult(events, arrived);
  }

  writeBytes(arrived) {
    const from = Math.max(0, Math.min(this.size - ROW, this.cursor - ROW / 2)), to = Math.min(this.size, from + ROW);
    const bytes = this.slice(from, to), cells = [];
    for (let index = 0; index < bytes.length; index += 1) {
      const at = from + index, byte = bytes[index];
      const cell = make("span", { onclick: () => this.select(at) }, make("span", {}, printable(byte)), make("span", {}, byte.toString(16).padStart(2, "0")));
      if (at && this.startOf(this.chunkEnds, this.chunkAt(at)) === at) cell.dataset.chunk = "";
      if (at && this.startOf(this.eventEnds, this.eventAt(at)) === at) cell.dataset.event = "";
      if (byte >= 0x80) cell.dataset.text = "";
      if (at === this.cursor) cell.dataset.here = "";
      if (at >= arrived) cell.dataset.late = "";
      cells.push(cell);
    }
    this.bytes.replaceChildren(...cells);
  }

  writeEvents(selected, complete) {
    const count = this.eventEnds.length, first = Math.max(0, Math.min(count - ROWS, selected - (ROWS >> 1))), rows = [];
    for (let index = first; index < first + ROWS; index += 1) {
      if (index >= count) { rows.push(make("tr", {}, ...Array.from({ length: 7 }, () => make("td", {}, "\u00a0")))); continue; }
      const start = this.startOf(this.eventEnds, index), end = this.eventEnds[index];
      const from = this.chunkAt(start), to = this.chunkAt(end - 1);
      const cells = [make("button", { type: "button", "aria-label": `Select event ${index + 1}`, onclick: () => this.select(start) }, number(index + 1)),
        oneLine((this.view.types || [])[this.eventTypes[index]] || ""), number(start), number(end - start),
        this.timed ? `${number(this.times[to])} ms` : `chunk ${number(to + 1)}`, from === to ? number(from + 1) : `${number(from + 1)}–${number(to + 1)}`, this.dataOf(start, end)];
      const row = make("tr", { "aria-current": index === selected ? "true" : null }, ...cells.map((cell) => make("td", {}, cell)));
      if (index === selected) row.dataset.here = "";
      if (index >= complete) row.dataset.late = "";
      rows.push(row);
    }
    const focused = [...this.rows.querySelectorAll("button")].indexOf(document.activeElement);
    this.rows.replaceChildren(...rows);
    if (focused >= 0) this.rows.querySelectorAll("button")[focused]?.focus();
  }

  /** The beginning of an event's data, for the eye; what counts is Python's. */
  dataOf(start, end) {
    const { start: from, bytes } = this.window;
    if (start < from || start >= from + bytes.length) return "...";
    const text = new TextDecoder().decode(bytes.subarray(start - from, Math.min(end, start + 2048) - from));
    return oneLine(text.split(/\r\n|\r|\n/).filter((line) => line.startsWith("data:")).map((line) => line.slice(5).replace(/^ /, "")).join("\n")).slice(0, 200);
  }

  writeResult(events, arrived) {
    const view = this.view, ended = this.at >= this.total, verdict = view.verdict;
    const judged = verdict && (ended || (view.decided !== null && view.decided !== undefined && arrived >= view.decided));
    let length = 0;
    for (const [count, size] of view.marks || []) { if (count <= events) length = size; else break; }
    const mark = `${length} ${judged} ${ended} ${view.outcome}`;
    if (mark === this.shownMark) return;
    this.shownMark = mark;
    const text = ended || judged ? view.text || "" : [...(view.text || "")].slice(0, length).join("");
    const word = !view.contract ? "no contract recognised" : !judged ? "provisional" : verdict.ok ? "accepted" : `rejected: ${verdict.code}`;
    const parts = [make("h4", {}, view.contract ? `recorder.read with ${view.contract}` : "Result"),
      make("p", { class: judged ? (verdict.ok ? "re-good" : "re-bad") : "re-dim" }, word)];
    if (judged && !verdict.ok) parts.push(make("p", {}, verdict.explanation));
    if (!(judged && verdict.ok)) parts.push(make("p", { class: "re-dim" }, "What has arrived is evidence, not an answer:"));
    const shown = make("div", { class: "re-text", dir: "auto", tabindex: 0, role: "region", "aria-label": judged && verdict.ok ? "Accepted text" : "Text so far" });
    shown.textContent = visible(text);
    this.ours.replaceChildren(...parts, shown);
    this.writeReader(view.reader);
  }

  writeReader(reader) {
    if (!reader) { this.theirs.replaceChildren(); return; }
    const shown = make("div", { class: "re-text", dir: "auto", tabindex: 0, role: "region", "aria-label": "Result of your reader" });
    shown.textContent = visible(reader.shown);
    this.theirs.replaceChildren(make("h4", {}, visible(reader.name)), make("p", {}, reader.said),
      make("p", { class: reader.same ? "re-good" : "re-bad" }, reader.same ? "the result it gives for the whole body" : "not the result it gives for the whole body"), shown);
  }
}

export default {
  render({ model, el }) {
    const picture = new Picture(model, el);
    return () => picture.close();
  },
};
