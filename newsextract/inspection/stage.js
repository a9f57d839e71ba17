// The picture of the page, and what lies over it.

const LAYERS = data.layers; // [name, title]
const sheet = by("sheet");
const stage = by("stage");
const overlay = document.createElementNS(SVG, "svg");
const groups = {};
const size = data.page;
let zoom = 1;
let fitted = true;

function drawn(box, name) {
  const rect = document.createElementNS(SVG, "rect");
  const [x, y, width, height] = box;
  for (const [key, value] of Object.entries({ x, y, width, height })) rect.setAttribute(key, String(value));
  if (name) rect.setAttribute("class", name);
  return rect;
}

function label(box, text) {
  const element = document.createElementNS(SVG, "text");
  element.setAttribute("x", String(Math.min(size.width, box[0] + box[2])));
  element.setAttribute("y", String(Math.max(0, box[1])));
  element.setAttribute("dx", "-.35em");
  element.setAttribute("dy", "1.05em");
  element.textContent = text;
  return element;
}

function prepareStage() {
  overlay.id = "overlay";
  overlay.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  overlay.setAttribute("preserveAspectRatio", "none");
  overlay.setAttribute("aria-hidden", "true");
  const pattern = document.createElementNS(SVG, "pattern");
  pattern.id = "hatch";
  for (const [key, value] of Object.entries({ width: 8, height: 8, patternUnits: "userSpaceOnUse" })) {
    pattern.setAttribute(key, String(value));
  }
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", "M-1 9 9 -1M-1 1 1 -1M7 9 9 7");
  pattern.append(line);
  const definitions = document.createElementNS(SVG, "defs");
  definitions.append(pattern);
  overlay.append(definitions);
  for (const name of ["dropped", "blocks", "region", "clusters", "noise", "records", "set", "pointer"]) {
    groups[name] = document.createElementNS(SVG, "g");
    groups[name].setAttribute("class", name);
    overlay.append(groups[name]);
  }
  for (const row of rows) {
    if (row.box) groups[row.kept ? "blocks" : "dropped"].append(drawn(row.box));
  }
  sheet.append(overlay);
  const texts = by("texts");
  for (const [left, top, width, height, font, words] of size.texts) {
    const element = quoted("div", "", words);
    const lines = Math.max(1, Math.round(height / (1.3 * font)));
    Object.assign(element.style, {
      left: `${left}px`, top: `${top}px`, width: `${width + 1}px`, height: `${height}px`, fontSize: `${font}px`,
      lineHeight: `${height / lines}px`, whiteSpace: lines > 1 ? "normal" : "nowrap",
    });
    texts.append(element);
  }
  if (!size.picture[0]) by("picture").remove();
  new ResizeObserver(() => fitted && fit()).observe(stage);
}

function fit() {
  fitted = true;
  scale((stage.clientWidth - 2) / size.width);
}

function scale(value) {
  const middle = (stage.scrollTop + stage.clientHeight / 2) / zoom;
  zoom = Math.min(4, Math.max(0.05, value));
  sheet.style.setProperty("--zoom", String(zoom));
  sheet.style.width = `${size.width * zoom}px`;
  sheet.style.height = `${size.height * zoom}px`;
  by("picture")?.style.setProperty("width", `${size.picture[0] * zoom}px`);
  by("picture")?.style.setProperty("height", `${size.picture[1] * zoom}px`);
  by("texts").style.transform = `scale(${zoom})`;
  stage.scrollTop = middle * zoom - stage.clientHeight / 2;
}

/** Put the view's region, noise, clusters and records in. */
function showView() {
  const view = state.view;
  const boxed = (list) => list.filter((one) => one.box);
  groups.region.replaceChildren(...boxed(view.regions).map((one) => drawn(one.box)));
  groups.noise.replaceChildren(...boxed(view.noise).map((one) => drawn(one.box)));
  groups.clusters.replaceChildren(...boxed(view.clusters).map((one) => drawn(one.box, `c${one.cluster % 6}`)));
  const records = view.records.map((record, i) => [record, i]).filter(([record]) => record.box);
  groups.records.replaceChildren(
    ...records.map(([record]) => drawn(record.box)),
    ...records.map(([record, i]) => label(record.box, String(i + 1))),
  );
  showLayers();
}

function showLayers() {
  const counts = {
    records: state.view.records.length, region: state.view.regions.length, noise: state.view.noise.length,
    clusters: new Set(state.view.clusters.map((one) => one.cluster)).size,
    blocks: rows.filter((row) => row.kept).length, dropped: rows.filter((row) => !row.kept).length,
  };
  for (const [name, title] of LAYERS) {
    groups[name].toggleAttribute("hidden", !state.layers[name]);
    const input = by(`layer-${name}`);
    input.checked = state.layers[name];
    input.parentElement.classList.toggle("none", !counts[name]);
    input.parentElement.lastChild.textContent = `${title} (${counts[name]})`;
  }
}

function prepareLayers() {
  for (const [name] of LAYERS) {
    const input = make("input");
    input.type = "checkbox";
    input.id = `layer-${name}`;
    input.addEventListener("change", () => {
      state.layers[name] = input.checked;
      showLayers();
      changed();
    });
    by("layers").append(make("label", "", input, make("span", `swatch ${name}`), make("span")));
  }
}

function holds(box, x, y) {
  return box && x >= box[0] && y >= box[1] && x <= box[0] + box[2] && y <= box[1] + box[3];
}

/** The smallest of the visible boxes at a place. */
function hit(event) {
  const place = sheet.getBoundingClientRect();
  const x = (event.clientX - place.left) / zoom;
  const y = (event.clientY - place.top) / zoom;
  let found = null;
  let least = Infinity;
  const offer = (kind, index, box) => {
    if (!holds(box, x, y) || box[2] * box[3] > least) return;
    least = box[2] * box[3];
    found = { kind, index };
  };
  const block = (one) => rowOfNode.has(one.node) && offer("block", rowOfNode.get(one.node), one.box);
  if (state.layers.records) state.view.records.forEach((record, i) => offer("record", i, record.box));
  if (state.layers.noise) state.view.noise.forEach(block);
  if (state.layers.clusters) state.view.clusters.forEach(block);
  rows.forEach((row, i) => state.layers[row.kept ? "blocks" : "dropped"] && offer("block", i, row.box));
  return found;
}

/** Draw what is looked at; bring a chosen box into sight. */
function showPointer() {
  const target = seen();
  const boxes = boxesOf(target).filter(Boolean);
  groups.pointer.replaceChildren(...boxes.flatMap((box) => [drawn(box), drawn(box)]));
  const set = target?.kind === "candidate" ? state.view.candidates[target.index].boxes : [];
  groups.set.replaceChildren(...set.map((box) => drawn(box)));
}

function scrollTo(target, from) {
  if (from === "stage") return;
  const box = target.kind === "candidate" ? state.view.candidates[target.index].boxes[0] : boxesOf(target)[0];
  if (!box) return;
  const [top, bottom] = [box[1] * zoom, (box[1] + box[3]) * zoom];
  if (bottom < stage.scrollTop + 20 || top > stage.scrollTop + stage.clientHeight - 20 || top < stage.scrollTop) {
    stage.scrollTop = top - Math.max(20, (stage.clientHeight - (bottom - top)) / 2);
  }
  if (box[0] * zoom < stage.scrollLeft || box[0] * zoom > stage.scrollLeft + stage.clientWidth) {
    stage.scrollLeft = box[0] * zoom - 20;
  }
}
