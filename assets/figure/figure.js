"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("headlight-data").textContent);
  const { rows, cols, panels } = data;
  const area = rows * cols;

  // Drawn by the processor: the first picture does not wait for a graphics process to start.
  const flat = (canvas) => canvas.getContext("2d", { willReadFrequently: true });
  const bytes = (text) => {
    const raw = atob(text), out = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; ++i) out[i] = raw.charCodeAt(i);
    return out;
  };
  const kinds = data.kinds.map(bytes); // one byte a cell: 0 a value, else an index into data.words
  const kindAt = (panel, cell) => (panels[panel].kinds < 0 ? 0 : kinds[panels[panel].kinds][cell]);
  // Each panel's values are decoded when it is first drawn or read: the first picture needs those of one panel alone.
  const kept = kinds.map((each) => (data.kept_only ? each.reduce((count, kind) => count + !kind, 0) : area));
  const counts = panels.map((panel) => (panel.kinds < 0 ? area : kept[panel.kinds]));
  const starts = [0];
  for (const count of counts) starts.push(starts[starts.length - 1] + count);
  const numbers = (text, panel) => {
    const from = 2 * starts[panel], most = 2 * starts[panel + 1], group = Math.floor(from / 3); // 4 letters are 3 bytes
    const part = bytes(text.slice(4 * group, 4 * Math.ceil(most / 3))).slice(from - 3 * group, most - 3 * group);
    const read = new Int16Array(part.buffer); // little-endian, as every machine that browsers run on
    if (read.length === area) return read;
    const all = new Int16Array(area);
    for (let cell = 0, next = 0; cell < area; ++cell) if (!kindAt(panel, cell)) all[cell] = read[next++];
    return all;
  };
  const measureOf = ({ name, scale, values, ranges, whole }) => ({
    name, scale, ranges, whole, text: values, values: [],
    decimals: Math.max(0, Math.min(9, Math.floor(-Math.log10(scale || 1)))), // as many as 16 bits carry
  });
  const measures = [measureOf({ ...data, name: "weight", ranges: panels.map((p) => [p.lo, p.hi]) })];
  if (data.arrives) measures.push(measureOf({ ...data.arrives, name: "what arrives" }));
  let shown = measures[0];
  const maps = { light: bytes(data.maps.light), dark: bytes(data.maps.dark) };
  const diverging = data.map_kind === "diverging";

  const system = matchMedia("(prefers-color-scheme: dark)");
  let printing = false;
  const themeName = () => (system.matches && !printing ? "dark" : "light");
  const theme = () => data.themes[themeName()];
  const hue = () => (panels[state.panel].hue ? panels[state.panel].hue[themeName()] : theme().accent);

  const value = (panel, cell) => (shown.values[panel] ??= numbers(shown.text, panel))[cell] * shown.scale;
  const minus = (text) => text.replace("-", "\u2212");
  const number = (panel, cell) => {
    const kind = kindAt(panel, cell);
    if (kind) return data.words[kind];
    if (data.palette === "boolean") return data.words.allowed;
    const x = value(panel, cell);
    if (data.categories.length) {
      const [lo, hi] = shown.ranges[panel], at = (x - lo) / (hi - lo);
      return data.categories.reduce((best, each) => (Math.abs(each[0] - at) < Math.abs(best[0] - at) ? each : best))[1];
    }
    if (x === 0 && !shown.whole) return `within ${(shown.scale / 2).toPrecision(1)} of 0`;
    return minus(x.toFixed(shown.whole ? 0 : shown.decimals));
  };
  const short = (x) => minus(Math.abs(x) >= 1e4 || (x !== 0 && Math.abs(x) < 1e-3) ? x.toExponential(0) : String(+x.toPrecision(3)));

  // Where a value lies on the bar: 0 to 1.
  const clamp = (t) => Math.min(1, Math.max(0, t));
  const spread = (x, lo, hi) => {
    const normal = (v, a, b) => (b > a ? (v - a) / (b - a) : 0.5);
    if (data.norm === "linear") return clamp(normal(x, lo, hi));
    const most = diverging ? Math.max(Math.abs(lo), Math.abs(hi)) : hi;
    const size = diverging ? Math.abs(x) : x;
    let t = 0;
    if (data.norm === "sqrt") t = Math.sqrt(clamp(normal(size, diverging ? 0 : lo, most)));
    else if (size > 0) {
      const low = diverging ? most * 1e-3 : lo > 0 ? lo : most * 1e-4;
      t = clamp(Math.log(size / low) / Math.log(most / low));
    }
    return diverging ? 0.5 + (Math.sign(x) * t) / 2 : t;
  };
  const rowEnds = (panel, row) => {
    let lo = Infinity, hi = -Infinity;
    for (let c = 0; c < cols; ++c) {
      if (kindAt(panel, row * cols + c)) continue;
      const x = value(panel, row * cols + c);
      lo = Math.min(lo, x), hi = Math.max(hi, x);
    }
    if (!(lo <= hi)) return [0, 1];
    const most = Math.max(Math.abs(lo), Math.abs(hi));
    return diverging ? [-most, most] : [Math.min(0, lo), hi];
  };
  const endsOf = (panel, row) => (data.range === "row" ? rowEnds(panel, row) : shown.ranges[panel]);
  const shareOf = (panel, cell, ends) => (data.palette === "boolean" ? 0.5 : spread(value(panel, cell), ends[0], ends[1]));
  const colour = (panel, cell, ends) => {
    const map = maps[themeName()], i = 3 * Math.round(255 * shareOf(panel, cell, ends));
    return [map[i], map[i + 1], map[i + 2]];
  };
  const css = (c) => `rgb(${c[0]},${c[1]},${c[2]})`;

  // Cells that are no value: hatched where masked, crossed where dropped, marked where they are no finite number.
  const patterns = new Map();
  const pattern = (context, kind) => {
    const key = themeName() + kind;
    if (!patterns.has(key)) {
      const [ground, line] = theme().kinds[kind];
      const tile = Object.assign(document.createElement("canvas"), { width: 8, height: 8 });
      const t = flat(tile);
      t.fillStyle = ground, t.fillRect(0, 0, 8, 8);
      t.strokeStyle = line, t.lineWidth = 1.4;
      t.beginPath();
      for (const shift of [-8, 0, 8]) {
        t.moveTo(shift, 8), t.lineTo(shift + 8, 0);
        if (kind > 1) t.moveTo(shift, 0), t.lineTo(shift + 8, 8);
      }
      t.stroke();
      patterns.set(key, context.createPattern(tile, "repeat"));
    }
    return patterns.get(key);
  };

  // ---- the picture that the cells lie over
  const picture = data.picture && Object.assign(new Image(), { src: data.picture.image });
  let opacity = data.picture ? data.picture.opacity : 1;
  const overPicture = (context, panel, left, top, cell) => {
    context.imageSmoothingEnabled = picture.width > 128;
    context.drawImage(picture, left, top, cols * cell, rows * cell);
    context.globalAlpha = opacity;
    for (let i = 0; i < area; ++i) {
      if (kindAt(panel, i)) continue;
      context.fillStyle = css(colour(panel, i, endsOf(panel, Math.floor(i / cols))));
      context.fillRect(left + (i % cols) * cell, top + Math.floor(i / cols) * cell, cell, cell);
    }
    context.globalAlpha = 1;
  };

  // ---- small pictures of all panels
  const thumbnail = (canvas, panel) => {
    if (picture) {
      const side = Math.ceil(96 / cols);
      canvas.width = cols * side, canvas.height = rows * side;
      return overPicture(flat(canvas), panel, 0, 0, side);
    }
    canvas.width = cols, canvas.height = rows;
    const context = flat(canvas);
    const image = context.createImageData(cols, rows);
    const map = maps[themeName()], grounds = theme().kinds.map((kind) => kind && hex(kind[0]));
    for (let r = 0; r < rows; ++r) {
      const ends = endsOf(panel, r);
      for (let c = 0; c < cols; ++c) {
        const cell = r * cols + c, kind = kindAt(panel, cell);
        const from = kind ? grounds[kind] : map, i = kind ? 0 : 3 * Math.round(255 * shareOf(panel, cell, ends));
        image.data[4 * cell] = from[i], image.data[4 * cell + 1] = from[i + 1], image.data[4 * cell + 2] = from[i + 2];
        image.data[4 * cell + 3] = 255;
      }
    }
    context.putImageData(image, 0, 0);
  };
  const hex = (text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16));

  const across = data.columns || Math.min(panels.length, 12);
  const headers = data.line_names.length > 0 && data.column_names.length > 0;
  const nameOf = (i) => (headers ? `${data.line_names[Math.floor(i / across)]} ${data.column_names[i % across]}` : panels[i].title);
  const state = { panel: 0, view: data.kind === "arcs" ? "arcs" : "matrix", at: null, kept: null, query: rows - 1 };
  const buttons = [];
  const makeHeads = () => {
    if (panels.length < 2) return $("heads").remove();
    const widest = panels.length > 24 ? "minmax(38px, 96px)" : "minmax(60px, 150px)";
    $("heads").style.gridTemplateColumns = (headers ? "max-content " : "") + `repeat(${across}, ${widest})`;
    const label = (text) => $("heads").append(Object.assign(document.createElement("span"), { className: "name", textContent: text }));
    if (headers) {
      label("");
      for (let c = 0; c < across; ++c) label(data.column_names[c] || "");
    }
    panels.forEach((_, i) => {
      if (headers && i % across === 0) label(data.line_names[i / across] || "");
      const button = document.createElement("button");
      button.setAttribute("role", "radio");
      button.setAttribute("aria-label", nameOf(i));
      button.title = nameOf(i);
      if (!headers) button.append(Object.assign(document.createElement("span"), { textContent: nameOf(i) }));
      const canvas = document.createElement("canvas");
      canvas.style.aspectRatio = `${cols} / ${rows}`; // before it is drawn, so that nothing moves then
      button.append(canvas);
      button.addEventListener("click", () => choose(i));
      button.addEventListener("keydown", (e) => {
        const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across }[e.key];
        if (!step || !buttons[i + step]) return;
        e.preventDefault(), choose(i + step), buttons[i + step].focus();
      });
      $("heads").append(button), buttons.push(button);
    });
  };
  // Some a frame, so that the large picture comes first; all at once for paper.
  let round = 0;
  const drawHeads = (first = 0, own = ++round) => {
    const until = performance.now() + 12;
    let i = first;
    for (; i < buttons.length && (printing || performance.now() < until); ++i) thumbnail(buttons[i].querySelector("canvas"), i);
    if (i < buttons.length) requestAnimationFrame(() => own === round && drawHeads(i, own));
  };

  // ---- the large picture
  const font = (size) => `${size}px Inter, "DejaVu Sans", system-ui, sans-serif`;
  const word = (names, i, first) => (names.length ? names[i] : String(first + i));
  const rowName = (r) => word(data.tokens, r, data.first_row);
  const colName = (c) => word(data.key_tokens, c, data.first_col);
  let place = null; // where the matrix or the words lie, in CSS pixels

  const room = () => (printing ? 660 : $("place").clientWidth); // on paper what every page has
  const fit = (canvas, width, height) => {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio), canvas.height = Math.round(height * ratio);
    canvas.style.width = width + "px", canvas.style.height = height + "px";
    const context = flat(canvas);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
  };
  const cut = (context, text, room) => {
    if (context.measureText(text).width <= room) return text;
    let end = text.length;
    while (end > 0 && context.measureText(text.slice(0, end) + "\u2026").width > room) --end;
    return text.slice(0, end) + "\u2026";
  };

  const drawMatrix = () => {
    const width = room();
    const measure = flat($("cells"));
    measure.font = font(13);
    const widest = (n, name) => {
      let most = 0;
      for (let i = 0; i < Math.min(n, 400); ++i) most = Math.max(most, measure.measureText(name(i)).width);
      return Math.min(most, 140);
    };
    const left = widest(rows, rowName) + 30, head = widest(cols, colName);
    const most = Math.max(260, (printing ? 500 : window.innerHeight * 0.7));
    const cell = Math.max(0.5, Math.min(44, (width - left - 4) / cols, most / rows));
    const upright = cell < head + 6;
    const top = (upright ? head : 15) + 30;
    place = { kind: "matrix", left, top, cell, full: width, height: top + rows * cell + 4 };
    const context = fit($("cells"), width, place.height);
    const gap = cell >= 8 ? 1 : 0;
    if (picture) {
      overPicture(context, state.panel, left, top, cell);
      const asks = data.picture.asks;
      context.strokeStyle = theme().ink, context.lineWidth = 2;
      if (asks) context.strokeRect(left + asks.col * cell, top + asks.row * cell, cell, cell);
    }
    for (let r = 0; !picture && r < rows; ++r) {
      const ends = endsOf(state.panel, r);
      for (let c = 0; c < cols; ++c) {
        const i = r * cols + c, kind = kindAt(state.panel, i);
        context.fillStyle = kind ? pattern(context, kind) : css(colour(state.panel, i, ends));
        context.fillRect(left + c * cell, top + r * cell, Math.max(cell - gap, 0.5), Math.max(cell - gap, 0.5));
      }
    }
    context.font = font(13), context.fillStyle = theme().muted, context.textBaseline = "middle";
    context.fillText(data.col_label, left, 9);
    context.save(), context.translate(9, top + (rows * cell) / 2), context.rotate(-Math.PI / 2);
    context.textAlign = "center", context.fillText(data.row_label, 0, 0), context.restore();
    context.fillStyle = theme().ink;
    const every = Math.max(1, Math.ceil(15 / cell));
    context.textAlign = "right";
    for (let r = 0; r < rows; r += every) context.fillText(cut(context, rowName(r), 140), left - 6, top + (r + 0.5) * cell);
    for (let c = 0; c < cols; c += upright ? every : 1) {
      context.save(), context.translate(left + (c + 0.5) * cell, top - 6);
      if (upright) context.rotate(-Math.PI / 2), context.textAlign = "left", context.fillText(cut(context, colName(c), 140), 0, 0);
      else context.textAlign = "center", context.fillText(colName(c), 0, -6);
      context.restore();
    }
  };

  const drawArcs = () => {
    const width = Math.min(room(), 760);
    const most = Math.max(rows, cols);
    const line = Math.max(11, Math.min(26, (window.innerHeight * 0.75) / most));
    const size = Math.min(15, line - 1);
    const measure = flat($("cells"));
    measure.font = font(size);
    const column = Math.min(width * 0.3, 160);
    place = { kind: "arcs", line, full: room(), left: column, right: width - column, top: 26, height: 26 + most * line + 4 };
    const context = fit($("cells"), room(), place.height);
    const y = (i) => place.top + (i + 0.5) * line;
    const row = (state.kept || state.at || {}).row;
    context.lineCap = "round";
    for (let r = 0; r < rows; ++r) {
      if (row !== undefined && r !== row) continue;
      const ends = endsOf(state.panel, r);
      for (let c = 0; c < cols; ++c) {
        const cell = r * cols + c;
        if (kindAt(state.panel, cell)) continue;
        const share = spread(value(state.panel, cell), ends[0], ends[1]);
        if (share < 0.004) continue;
        context.globalAlpha = clamp(0.06 + 0.94 * share), context.lineWidth = 0.6 + 5 * share;
        context.strokeStyle = hue();
        context.beginPath(), context.moveTo(place.left + 6, y(r));
        const middle = (place.left + place.right) / 2;
        context.bezierCurveTo(middle, y(r), middle, y(c), place.right - 6, y(c)), context.stroke();
      }
    }
    context.globalAlpha = 1, context.textBaseline = "middle", context.font = font(13), context.fillStyle = theme().muted;
    context.textAlign = "right", context.fillText(data.row_label, place.left, 9);
    context.textAlign = "left", context.fillText(data.col_label, place.right, 9);
    context.font = font(size);
    for (let r = 0; r < rows; ++r) {
      context.fillStyle = row === undefined || row === r ? theme().ink : theme().muted;
      context.textAlign = "right", context.fillText(cut(context, rowName(r), column - 8), place.left, y(r));
    }
    for (let c = 0; c < cols; ++c) {
      const cell = row === undefined ? -1 : row * cols + c;
      context.fillStyle = cell < 0 || !kindAt(state.panel, cell) ? theme().ink : theme().muted;
      const said = cell < 0 ? "" : "  " + (kindAt(state.panel, cell) ? data.words[kindAt(state.panel, cell)] : number(state.panel, cell));
      context.textAlign = "left", context.fillText(cut(context, colName(c) + said, column - 4), place.right, y(c));
    }
  };

  // The words in lines as they are read; each shaded by how the chosen one looks at it, with arcs within its line.
  const drawSentence = () => {
    const width = room(), arcs = 44, height = arcs + 62;
    const context = flat($("cells"));
    context.font = font(20);
    let x = 0, y = 0;
    const words = data.tokens.map((token) => {
      const text = cut(context, token, width - 16), w = Math.max(56, context.measureText(text).width + 16);
      if (x > 0 && x + w > width) x = 0, y += height;
      const box = { text, x, y: y + arcs, w, h: 34 };
      x += w + 6;
      return box;
    });
    place = { kind: "sentence", words, full: width, height: y + height };
    fit($("cells"), width, place.height);
    const ends = endsOf(state.panel, state.query), from = words[state.query];
    words.forEach((box, c) => {
      const cell = state.query * cols + c, kind = kindAt(state.panel, cell);
      const ground = kind ? null : colour(state.panel, cell, ends);
      context.fillStyle = kind ? pattern(context, kind) : css(ground);
      context.beginPath(), context.roundRect(box.x, box.y, box.w, box.h, 5), context.fill();
      const light = !kind && ground[0] * 0.3 + ground[1] * 0.59 + ground[2] * 0.11 > 140;
      context.fillStyle = kind ? theme().ink : light ? "#171b21" : "#ffffff";
      context.font = font(20), context.textAlign = "center", context.textBaseline = "middle";
      context.fillText(box.text, box.x + box.w / 2, box.y + box.h / 2 + 1);
      context.font = font(12), context.fillStyle = theme().muted;
      if (!kind) context.fillText(short(value(state.panel, cell)), box.x + box.w / 2, box.y + box.h + 10);
      if (kind || box.y !== from.y || c === state.query) return;
      const share = shareOf(state.panel, cell, ends), a = from.x + from.w / 2, b = box.x + box.w / 2;
      if (share < 0.004) return;
      context.strokeStyle = hue(), context.globalAlpha = clamp(0.1 + 0.9 * share);
      context.lineWidth = 0.6 + 5 * share, context.beginPath(), context.moveTo(a, box.y - 3);
      const up = box.y - 3 - Math.min((arcs - 8) / 0.75, 18 + Math.abs(b - a) / 3); // a curve rises by 3/4 of it
      context.bezierCurveTo(a, up, b, up, b, box.y - 3), context.stroke(), (context.globalAlpha = 1);
    });
    context.strokeStyle = theme().accent, context.lineWidth = 3;
    context.beginPath(), context.roundRect(from.x + 1, from.y + 1, from.w - 2, from.h - 2, 5), context.stroke();
  };
  const prose = () => {
    const row = state.query * cols, seen = [];
    for (let c = 0; c < cols; ++c) if (!kindAt(state.panel, row + c)) seen.push(c);
    seen.sort((a, b) => value(state.panel, row + b) - value(state.panel, row + a));
    const said = (c) => `\u201c${data.tokens[c]}\u201d ${short(value(state.panel, row + c))}`;
    if (!seen.length) return `\u201c${data.tokens[state.query]}\u201d may look at nothing.`;
    const weights = shown === measures[0] && data.stage === "weights";
    const begins = weights ? `\u201c${data.tokens[state.query]}\u201d looks mostly at ` : `What arrives at \u201c${data.tokens[state.query]}\u201d comes mostly from `;
    const rest = seen.slice(3), sum = rest.reduce((total, c) => total + value(state.panel, row + c), 0);
    const more = rest.length === 0 ? "" : weights ? `; ${rest.length} more, together ${short(sum)}` : `; ${rest.length} more`;
    return begins + seen.slice(0, 3).map(said).join(", ") + more + (printing ? "." : ". Click a word to see how it looks.");
  };

  const drawMarks = () => {
    const context = fit($("marks"), room(), place.height);
    const at = state.kept || state.at;
    if (!at || place.kind === "arcs") return;
    if (place.kind === "sentence") {
      const box = place.words[at.col];
      context.strokeStyle = theme().ink, context.lineWidth = 2;
      return context.strokeRect(box.x, box.y, box.w, box.h);
    }
    const { left, top, cell } = place;
    context.strokeStyle = theme().ink;
    context.globalAlpha = 0.35, context.lineWidth = 1;
    context.strokeRect(left - 0.5, top + at.row * cell - 0.5, cols * cell, cell);
    context.strokeRect(left + at.col * cell - 0.5, top - 0.5, cell, rows * cell);
    context.globalAlpha = 1, context.lineWidth = state.kept ? 3 : 2;
    context.strokeRect(left + at.col * cell - 0.5, top + at.row * cell - 0.5, cell, cell);
  };

  // A token as it is drawn and, where a vocabulary spells it in another way, its spelling.
  const quoted = (label, names, spelled, i, first) => {
    const raw = spelled.length && spelled[i] ? `, ${spelled[i]}` : "";
    return `${label} ${names.length ? `\u201c${names[i]}\u201d (${first + i}${raw})` : first + i}`;
  };
  const read = () => {
    const at = state.kept || state.at;
    $("reading").replaceChildren();
    if (!at && state.view === "sentence") return ($("reading").textContent = prose());
    if (!at) {
      if (!printing) $("reading").textContent = `Point at a ${state.view === "arcs" ? "word" : "cell"} to read it, click to keep it.`;
      return;
    }
    const which = document.createElement("b");
    which.textContent = number(state.panel, at.row * cols + at.col);
    const named = [quoted(data.row_label, data.tokens, data.spelled, at.row, data.first_row), quoted(data.col_label, data.key_tokens, data.key_spelled, at.col, data.first_col)];
    const title = nameOf(state.panel);
    const what = measures.length > 1 ? " \u00b7 " + shown.name : "";
    $("reading").append(which, ` \u00a0 ${named.join(", ")}${title ? " \u00b7 " + title : ""}${what}${state.kept ? " \u00b7 kept" : ""}`);
  };

  const drawScale = () => {
    const by_row = data.range === "row";
    const boolean = data.palette === "boolean";
    $("bar").hidden = boolean;
    if (!boolean) {
      const context = fit($("bar"), 320, 34);
      const map = maps[themeName()];
      const [lo, hi] = shown.ranges[state.panel], scale = shown.scale;
      let below = false, above = false;
      if (!by_row) {
        for (let i = 0; i < area; ++i) {
          if (kindAt(state.panel, i)) continue;
          below ||= value(state.panel, i) < lo - scale, above ||= value(state.panel, i) > hi + scale;
        }
      }
      context.save(), context.beginPath();
      context.moveTo(below ? 30 : 40, 7), context.lineTo(40, 0), context.lineTo(280, 0), context.lineTo(above ? 290 : 280, 7);
      context.lineTo(280, 14), context.lineTo(40, 14), context.clip();
      for (let x = 30; x < 290; ++x) {
        const i = 3 * Math.round(255 * clamp((x - 40) / 239));
        context.fillStyle = css([map[i], map[i + 1], map[i + 2]]), context.fillRect(x, 0, 1.5, 14);
      }
      context.restore();
      context.font = font(12), context.fillStyle = theme().ink, context.textAlign = "center", context.textBaseline = "middle";
      const middle = { linear: short((lo + hi) / 2), log: "logarithmic", sqrt: "square root" }[data.norm];
      const said = by_row ? ["row\u2019s least", "", "row\u2019s largest"] : [short(lo), middle, short(hi)];
      said.forEach((text, i) => context.fillText(text, 40 + 120 * i, 26));
    }
    $("legend").replaceChildren();
    const present = new Set();
    for (let i = 0; i < area; ++i) present.add(kindAt(state.panel, i));
    for (const kind of [...present].filter((k) => k).sort()) {
      const item = document.createElement("span"), swatch = document.createElement("canvas");
      const context = fit(swatch, 16, 16);
      context.fillStyle = pattern(context, kind), context.fillRect(0, 0, 16, 16);
      item.append(swatch, data.words[kind]), $("legend").append(item);
    }
  };
  const fillTable = () => {
    const most = 128; // cells beyond are read by the arrow keys
    const table = document.createElement("table");
    table.createCaption().textContent = `${data.title} ${nameOf(state.panel)}`;
    const heading = table.insertRow();
    heading.insertCell().textContent = `${data.row_label} \\ ${data.col_label}`;
    for (let c = 0; c < Math.min(cols, most); ++c) heading.insertCell().textContent = colName(c);
    for (let r = 0; r < Math.min(rows, most); ++r) {
      const line = table.insertRow();
      line.insertCell().textContent = rowName(r);
      for (let c = 0; c < Math.min(cols, most); ++c) line.insertCell().textContent = number(state.panel, r * cols + c);
    }
    $("table").replaceChildren(table);
  };

  const drawLarge = () => {
    state.view === "arcs" ? drawArcs() : state.view === "sentence" ? drawSentence() : drawMatrix();
    drawMarks();
  };
  const draw = () => {
    const title = nameOf(state.panel);
    $("chosen").textContent = panels.length > 1 ? title : "";
    buttons.forEach((button, i) => {
      button.setAttribute("aria-checked", String(i === state.panel));
      button.tabIndex = i === state.panel ? 0 : -1;
    });
    for (const button of $("views").children) button.setAttribute("aria-checked", String(button.value === state.view));
    for (const button of $("measures").children) button.setAttribute("aria-checked", String(button.value === shown.name));
    drawLarge(), drawScale(), read();
  };
  const choose = (panel) => {
    state.panel = panel;
    draw(), later(fillTable);
  };
  let waiting = 0;
  const later = (what) => (clearTimeout(waiting), (waiting = setTimeout(what, 300)));

  const cellAt = (event) => {
    const box = $("marks").getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    if (place.kind === "sentence") {
      const col = place.words.findIndex((w) => x >= w.x && x < w.x + w.w && y >= w.y && y < w.y + w.h);
      return col < 0 ? null : { row: state.query, col };
    }
    if (place.kind === "arcs") {
      const i = Math.floor((y - place.top) / place.line);
      if (x > (place.left + place.right) / 2) {
        const row = (state.kept || state.at || { row: 0 }).row;
        return i >= 0 && i < cols && state.at ? { row, col: i } : null;
      }
      return i >= 0 && i < rows ? { row: i, col: state.at ? state.at.col : 0 } : null;
    }
    const row = Math.floor((y - place.top) / place.cell), col = Math.floor((x - place.left) / place.cell);
    return row >= 0 && row < rows && col >= 0 && col < cols ? { row, col } : null;
  };
  const same = (a, b) => a === b || (a && b && a.row === b.row && a.col === b.col);
  const point = (at) => {
    if (same(at, state.at)) return;
    state.at = at;
    place.kind === "arcs" ? drawLarge() : drawMarks();
    read();
  };
  const keep = (at) => {
    if (at && state.view === "sentence") {
      state.query = at.col, state.at = state.kept = null;
      return drawLarge(), read();
    }
    state.kept = same(at, state.kept) ? null : at;
    place.kind === "arcs" ? drawLarge() : drawMarks();
    read();
  };
  $("marks").addEventListener("pointermove", (e) => point(cellAt(e)));
  $("marks").addEventListener("pointerleave", () => point(null));
  $("marks").addEventListener("click", (e) => keep(cellAt(e)));
  $("marks").addEventListener("keydown", (e) => {
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[e.key];
    const at = state.kept || state.at || { row: 0, col: -1 };
    if (step && state.view === "sentence") {
      state.query = Math.min(rows - 1, Math.max(0, state.query + step[0]));
      e.preventDefault(), (state.at = { row: state.query, col: Math.min(cols - 1, Math.max(0, at.col + step[1])) });
      if (step[0]) drawLarge();
      drawMarks(), read();
    } else if (step) {
      const next = { row: Math.min(rows - 1, Math.max(0, at.row + step[0])), col: Math.min(cols - 1, Math.max(0, at.col + step[1])) };
      e.preventDefault(), state.kept ? keep(next) : point(next);
    } else if (e.key === "Enter" || e.key === " ") e.preventDefault(), state.at && keep(state.at);
    else if (e.key === "Escape") state.kept = null, point(null), drawMarks(), read();
    else if (e.key === "[" || e.key === "]") choose((state.panel + (e.key === "]" ? 1 : panels.length - 1)) % panels.length);
  });

  // "n_{q}" with its index below the line.
  const withIndices = (text) => text.split(/_\{(\w+)\}/).map((part, i) => (i % 2 ? Object.assign(document.createElement("sub"), { textContent: part }) : part));
  $("title").append(...withIndices(data.title));
  $("about").append(...withIndices([data.shape, data.subtitle].filter(Boolean).join(" \u00b7 ")));
  const choices = (group, names, chosen) => {
    for (const name of names) {
      const button = Object.assign(document.createElement("button"), { value: name, textContent: name });
      button.setAttribute("role", "radio");
      button.addEventListener("click", () => (chosen(name), draw()));
      $(group).append(button);
    }
  };
  const views = data.words_both && rows <= 200 && cols <= 200 ? ["matrix", "arcs"] : [];
  const looks = ["weights", "contribution_norms", "contribution_shares"].includes(data.stage);
  if (looks && views.length && data.tokens.length && data.tokens.join("\n") === data.key_tokens.join("\n")) views.push("sentence");
  choices("views", views, (name) => {
    if (name === "sentence") state.query = (state.kept || state.at || { row: state.query }).row;
    if (name === "sentence" || state.view === "sentence") state.at = state.kept = null;
    state.view = name;
  });
  if (views.includes(location.hash.slice(1))) state.view = location.hash.slice(1);
  if (measures.length > 1) {
    const pick = (name) => ((shown = measures.find((each) => each.name === name)), drawHeads(), later(fillTable));
    choices("measures", measures.map((each) => each.name), pick);
  }
  makeHeads(), draw(), later(fillTable);
  requestAnimationFrame(() => requestAnimationFrame(() => drawHeads())); // after the first paint
  const redraw = () => (drawHeads(), draw());
  if (picture) {
    const slider = Object.assign(document.createElement("input"), { type: "range", min: 0, max: 100, value: 100 * opacity });
    slider.setAttribute("aria-label", "opacity of the colours");
    slider.addEventListener("input", () => ((opacity = slider.value / 100), redraw()));
    $("scale").append("opacity ", slider);
    picture.complete ? redraw() : (picture.onload = redraw);
  }
  system.addEventListener("change", redraw);
  new ResizeObserver(() => !printing && room() !== place.full && drawLarge()).observe($("place"));
  addEventListener("beforeprint", () => ((printing = true), redraw()));
  addEventListener("afterprint", () => ((printing = false), redraw()));
})();
