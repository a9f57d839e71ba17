// The visual block tree: one row a block, in document order. Arrow keys as in every tree.

const tree = by("tree");
const lines = [];
const depths = [];
const open = [];
const parented = new Set(rows.filter((row) => row.kept).map((row) => row.parent));
const rowOfNode = new Map(rows.map((row, i) => [row.node, i]));
let current = 0;

function prepareTree() {
  rows.forEach((row, i) => {
    depths.push(row.parent < 0 ? 0 : depths[row.parent] + 1);
    open.push(depths[i] < 2);
    const line = make("div", row.kept ? "row" : "row dropped", make("span", "twisty"), make("span", "tag", row.name));
    line.append(quoted("span", "snippet", row.text), make("span", "marks"));
    line.setAttribute("role", "treeitem");
    line.setAttribute("aria-level", String(depths[i] + 1));
    line.style.paddingInlineStart = `${0.3 + 0.65 * Math.min(depths[i], 14)}rem`;
    line.tabIndex = -1;
    line.dataset.index = String(i);
    lines.push(line);
  });
  tree.append(...lines);
  const at = (event) => {
    const line = event.target.closest?.(".row");
    return line ? Number(line.dataset.index) : null;
  };
  tree.addEventListener("pointerover", (event) => {
    const i = at(event);
    hover(i === null ? null : { kind: "block", index: i });
  });
  tree.addEventListener("pointerleave", () => hover(null));
  tree.addEventListener("click", (event) => {
    const i = at(event);
    if (i === null) return;
    if (event.target.classList.contains("twisty")) toggle(i, !open[i]);
    focusRow(i);
    choose({ kind: "block", index: i }, "tree");
  });
  tree.addEventListener("keydown", treeKey);
  by("open-all").addEventListener("click", () => setAll(() => true));
  by("close-all").addEventListener("click", () => setAll((i) => depths[i] < 1));
}

function hasChildren(i) {
  return parented.has(i) || (state.layers.dropped && rows[i + 1]?.parent === i);
}

function setAll(isOpen) {
  rows.forEach((_, i) => (open[i] = isOpen(i)));
  showRows();
}

function toggle(i, value) {
  open[i] = value;
  showRows();
}

/** Open all above a block. */
function openTo(i) {
  for (let above = rows[i].parent; above >= 0; above = rows[above].parent) open[above] = true;
}

function showRows() {
  const inside = [];
  lines.forEach((line, i) => {
    const { parent, kept } = rows[i];
    inside.push(parent < 0 || (inside[parent] && open[parent]));
    const hidden = !inside[i] || (!kept && !state.layers.dropped);
    if (line.hidden !== hidden) line.hidden = hidden;
    const children = hasChildren(i);
    const sign = children ? (open[i] ? "▾" : "▸") : "";
    if (line.firstChild.textContent !== sign) line.firstChild.textContent = sign;
    if (children) line.setAttribute("aria-expanded", String(open[i]));
    else line.removeAttribute("aria-expanded");
  });
  if (lines.length && lines[current].hidden) {
    while (current > 0 && lines[current].hidden) current = Math.max(0, rows[current].parent);
  }
  lines.forEach((line, i) => (line.tabIndex = i === current ? 0 : -1));
}

/** What the view says of a block, at the end of its row. */
function showMarks() {
  const view = state.view;
  const marks = new Map();
  const add = (i, name, text) => marks.set(i, [...(marks.get(i) || []), make("span", `badge ${name}`, text)]);
  const known = new Set();
  view.block_records.forEach((record, i) => {
    if (record < 0 || known.has(record) || !rows[i].kept) return;
    known.add(record);
    add(i, "record", String(record + 1));
  });
  for (const [name, list] of [["region", view.regions], ["noise", view.noise]]) {
    list.forEach((one) => rowOfNode.has(one.node) && add(rowOfNode.get(one.node), name, name));
  }
  view.clusters.forEach((one) => add(rowOfNode.get(one.node), "cluster", `cluster ${one.cluster}`));
  lines.forEach((line, i) => line.lastChild.replaceChildren(...(marks.get(i) || [])));
}

function openRecords() {
  const known = new Set();
  state.view.block_records.forEach((record, i) => {
    if (record < 0 || known.has(record)) return;
    known.add(record);
    openTo(i);
  });
  state.view.regions.forEach((one) => rowOfNode.has(one.node) && openTo(rowOfNode.get(one.node)));
}

function focusRow(i) {
  if (lines[i].hidden) {
    openTo(i);
    showRows();
  }
  lines[current].tabIndex = -1;
  current = i;
  lines[i].tabIndex = 0;
  lines[i].focus({ preventScroll: true });
  lines[i].scrollIntoView({ block: "nearest" });
}

function treeKey(event) {
  const next = (i, step) => {
    do i += step;
    while (lines[i]?.hidden);
    return lines[i] ? i : current;
  };
  let to = current;
  if (event.key === "ArrowDown") to = next(current, 1);
  else if (event.key === "ArrowUp") to = next(current, -1);
  else if (event.key === "Home") to = 0;
  else if (event.key === "End") to = next(lines.length, -1);
  else if (event.key === "ArrowRight" && hasChildren(current)) {
    if (open[current]) to = next(current, 1);
    else toggle(current, true);
  } else if (event.key === "ArrowLeft") {
    if (open[current] && hasChildren(current)) toggle(current, false);
    else to = Math.max(0, rows[current].parent);
  } else if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  state.hover = null;
  focusRow(to);
  choose({ kind: "block", index: to }, "tree");
}

/** Mark the row of what is looked at, or the nearest one above it that can be seen. */
function showHover() {
  tree.querySelectorAll(".hover, .chosen").forEach((line) => line.classList.remove("hover", "chosen"));
  for (const [target, name] of [[state.chosen, "chosen"], [state.hover, "hover"]]) {
    let i = rowOf(target);
    while (i >= 0 && lines[i].hidden) i = rows[i].parent;
    if (i >= 0) lines[i].classList.add(name);
  }
}

/** The row of a block, or the first block of a record; -1: none. */
function rowOf(target) {
  if (target?.kind === "block") return target.index;
  if (target?.kind === "record") return state.view.block_records.findIndex((record, i) => record === target.index && rows[i].kept);
  return -1;
}

function revealRow(target, from) {
  const i = rowOf(target);
  if (from === "tree" || i < 0) return;
  openTo(i);
  lines[current].tabIndex = -1;
  current = i;
  showRows();
  lines[i].scrollIntoView({ block: "nearest" });
}
