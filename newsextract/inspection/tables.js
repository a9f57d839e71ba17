// The tables below: records with a column a label, candidate sets, and how it was made.

const table = by("table");
let showStatic = false;

function lowerTabs() {
  const view = state.view;
  const parts = (data.tables ?? []).map((one) => [`${one.title} (${one.rows.length})`, () => plainTable(one)]);
  parts.push([`${data.words.Many} (${view.total})`, recordTables]);
  if (view.candidates.length) parts.push([`Candidate sets (${view.candidates.length})`, candidateTable]);
  parts.push(["How it was made", about]);
  const pick = tabs(by("tabs"), parts.map(([label]) => label), (i) => {
    table.replaceChildren(...parts[i][1]());
    table.scrollTop = 0;
    changed();
  });
  pick(0);
  if (data.tables) return;
  const input = make("input");
  input.type = "checkbox";
  input.checked = showStatic;
  input.addEventListener("change", () => {
    showStatic = input.checked;
    pick(0);
  });
  by("bar").replaceChildren(by("tabs"), make("label", "", input, "columns that are the same in all"));
}

/** A table of texts; a line that belongs to a block leads there. */
function plainTable(one) {
  const head = make("tr", "", make("th", "number", "#"), ...one.head.map((name) => make("th", "", name)));
  const body = make("tbody");
  one.rows.forEach((line, i) => {
    const cells = line.cells.map((text) => make("td", "", quoted("div", "cell", text)));
    const place = String(i + 1);
    const target = { kind: "block", index: line.block };
    body.append(line.block === null ? make("tr", line.taken ? "taken" : "", make("td", "number", place), ...cells) : linked(target, place, ...cells));
    body.lastChild.classList.toggle("taken", line.taken);
  });
  return [make("table", "", make("thead", "", head), body)];
}

/** A row that leads to a target, by pointer and keyboard. */
function linked(target, label, ...cells) {
  const go = button("", label, () => choose(target, "table"));
  go.addEventListener("focus", () => hover(target));
  go.addEventListener("blur", () => hover(null));
  const line = make("tr", "", make("td", "number", go), ...cells);
  line.dataset.target = `${target.kind} ${target.index}`;
  line.addEventListener("pointerenter", () => hover(target));
  line.addEventListener("pointerleave", () => hover(null));
  line.addEventListener("click", (event) => event.target !== go && choose(target, "table"));
  return line;
}

function recordTables() {
  const view = state.view;
  if (!view.records.length) return [quoted("p", "", `No ${data.words.many}: ${view.status}: ${view.reason ?? ""}`)];
  const regions = new Map();
  view.records.forEach((record, i) => regions.set(record.region, [...(regions.get(record.region) || []), [record, i]]));
  return [...regions].flatMap(([region, records]) => [
    ...(regions.size > 1 ? [make("p", "", make("b", "", `Data region ${region + 1}`))] : []),
    recordTable(records),
  ]);
}

function recordTable(records) {
  const columns = new Map(); // label → whether it is the same in all
  for (const [record] of records) {
    for (const item of record.items) columns.set(item.label, (columns.get(item.label) ?? true) && item.static);
  }
  const shown = [...columns].filter(([, same]) => showStatic || !same);
  const head = make("tr", "", make("th", "number", "#"), ...shown.map(([label]) => make("th", "", label)));
  if (!shown.length) head.append(make("th", "", "text"));
  const body = make("tbody");
  for (const [record, i] of records) {
    const cells = shown.map(([label, same]) => {
      const cell = make("td", same ? "same" : "");
      for (const item of record.items.filter((one) => one.label === label)) {
        cell.append(itemText("div", "cell", item));
        if (item.link) cell.append(make("div", "address", item.link));
      }
      return cell;
    });
    if (!shown.length) cells.push(make("td", "", quoted("div", "cell", record.text)));
    body.append(linked({ kind: "record", index: i }, String(i + 1), ...cells));
  }
  return make("table", "", make("thead", "", head), body);
}

function candidateTable() {
  const names = ["#", "score", "kind", "parts", "first element", ""];
  const head = make("tr", "", ...names.map((name, k) => make("th", k === 0 || k === 3 ? "number" : "", name)));
  const body = make("tbody");
  state.view.candidates.forEach((one, i) => {
    const bar = make("span", "bar");
    bar.style.width = `${Math.max(0, Math.min(1, one.score)) * 6}rem`;
    const taken = one.region === null ? "" : `data region ${one.region + 1}`;
    body.append(
      linked(
        { kind: "candidate", index: i }, String(i + 1), make("td", "", bar, one.score.toFixed(4)), make("td", "", one.kind),
        make("td", "number", String(one.records)), quoted("td", "tag", one.name), make("td", "", make("b", "", taken)),
      ),
    );
  });
  return [make("table", "", make("thead", "", head), body)];
}

function about() {
  const facts = { page: data.name, address: data.url ?? "none", ...data.about };
  const body = make("tbody");
  const line = (name, value) => body.append(make("tr", "", make("th", "", name), quoted("td", "", String(value))));
  Object.entries(facts).forEach(([name, value]) => line(name, value));
  Object.entries(state.view.parameters).forEach(([name, value]) => line(`parameter ${name}`, value));
  const notes = [...data.notes, ...state.view.warnings, ...state.view.notes].map((note) => quoted("li", "", note));
  const list = notes.length ? [make("ul", "", ...notes)] : [];
  return [...list, make("table", "about", body)];
}

function showLine() {
  table.querySelectorAll("tr.hover, tr.chosen").forEach((line) => line.classList.remove("hover", "chosen"));
  for (const [target, name] of [[state.chosen, "chosen"], [state.hover, "hover"]]) {
    lineOf(target)?.classList.add(name);
  }
}

/** The line of a target; of a block that of its record. */
function lineOf(target) {
  if (!target) return null;
  let { kind, index } = target;
  if (kind === "block") [kind, index] = ["record", state.view.block_records[index]];
  return table.querySelector(`tr[data-target="${kind} ${index}"]`);
}

function revealLine(target, from) {
  if (from !== "table") lineOf(target)?.scrollIntoView({ block: "nearest" });
}
