// Everything together.

function showOutcome() {
  const view = state.view;
  const found = make("b", "", `${view.total} ${view.total === 1 ? data.words.one : data.words.many}`);
  const parts = [found, ` by ${view.name}`];
  if (view.records.length && view.confidence !== null) parts.push(`, confidence ${view.confidence.toFixed(2)}`);
  if (view.reason) parts.push(` – ${view.status}: ${view.reason}`);
  const notes = [...data.notes, ...view.warnings, ...view.notes].filter((note) => note !== view.reason);
  if (notes.length) parts.push(` – ${notes.join("; ")}`);
  by("outcome").replaceChildren(...parts);
}

function prepareDivider() {
  const divider = by("divider");
  const lower = by("lower");
  const set = (height) => {
    lower.style.height = `${Math.round(height)}px`;
    divider.ariaValueNow = String(Math.round((100 * lower.clientHeight) / window.innerHeight));
  };
  divider.addEventListener("pointerdown", (event) => divider.setPointerCapture(event.pointerId));
  divider.addEventListener("pointermove", (event) => {
    if (divider.hasPointerCapture(event.pointerId)) set(window.innerHeight - event.clientY);
  });
  divider.addEventListener("keydown", (event) => {
    const step = { ArrowUp: 30, ArrowDown: -30 }[event.key];
    if (step) set(lower.clientHeight + step);
  });
}

document.body.classList.toggle("article", Boolean(data.tables));
by("name").textContent = data.name.length > 60 ? `…${data.name.slice(-59)}` : data.name;
by("name").title = data.name;
by("name").dir = "auto";
prepareStage();
prepareLayers();
prepareTree();
prepareDivider();
by("fit").addEventListener("click", fit);
for (const [id, factor] of [["larger", 1.25], ["smaller", 0.8]]) {
  by(id).addEventListener("click", () => {
    fitted = false;
    scale(zoom * factor);
  });
}
stage.addEventListener("pointermove", (event) => hover(sheet.contains(event.target) ? hit(event) : null));
stage.addEventListener("pointerleave", () => hover(null));
stage.addEventListener("click", (event) => choose(hit(event), "stage"));
document.addEventListener("keydown", (event) => event.key === "Escape" && choose(null, ""));
reveal.push(scrollTo, revealRow, revealLine);

const views = data.views.map((view) => ({
  view,
  layers: {
    records: true, region: true, noise: true, clusters: view.clusters.length > 0, blocks: true, dropped: Boolean(data.tables),
  },
}));
const pickView = tabs(by("views"), data.views.map((view) => `${view.name} (${view.total})`), (i) => {
  state.view = views[i].view;
  state.layers = views[i].layers;
  state.hover = state.chosen = null;
  showOutcome();
  showView();
  openRecords();
  showRows();
  showMarks();
  lowerTabs();
  changed();
});
let rowsShown = null;
listeners.push(() => {
  if (rowsShown !== state.layers.dropped) {
    rowsShown = state.layers.dropped;
    showRows();
  }
  showPointer();
  showHover();
  showDetails();
  showLine();
});
pickView(0);
fit();
