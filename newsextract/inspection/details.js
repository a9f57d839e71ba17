// What is known of the block, record or set that is looked at.

const details = by("details");

function showDetails() {
  const target = seen();
  const parts = { block: blockDetails, record: recordDetails, candidate: candidateDetails };
  details.replaceChildren(...(target ? parts[target.kind](target.index) : hint()));
  details.scrollTop = 0;
}

function hint() {
  const text = "Point at the page, the tree or a table to see what is known; click to keep it, Escape to let it go. " +
    "In the tree: arrow keys, Home, End.";
  return [make("p", "hint", text)];
}

function measured(row) {
  const [offset, area, text] = row.measures;
  const [centreLimit, areaLimit, textLimit] = data.blocks.limits;
  const line = (what, value, passes, limit) =>
    make("p", passes ? "passes" : "fails", `${passes ? "✓" : "✗"} ${what} ${value === null ? "?" : value.toFixed(3)}, asked for: ${limit}`);
  return [
    line("centre offset B_o", offset, offset !== null && offset < centreLimit, `below ${centreLimit} (T_o)`),
    line("area B_a", area, area !== null && area > areaLimit, `above ${areaLimit} (T_a)`),
    line("text B_c", text, text !== null && text > textLimit, `above ${textLimit} (T_c)`),
  ];
}

const ROLES = {
  region: "the data region: of the innermost blocks that pass T_o, T_a and T_c the largest",
  noise: "noise in the data region",
  record: "a record: in the largest cluster of the region's blocks",
  cluster: "in a cluster of the region's blocks, but not the largest",
};

function blockDetails(i) {
  const row = rows[i];
  const parts = [quoted("h3", "", row.name)];
  const record = state.view.block_records[i];
  parts.push(make("p", "", row.fate ?? (row.kept ? "Kept: none of the rules R1 to R5 forbids it." : `Dropped. ${row.why}.`)));
  if (row.role) {
    const why = row.why ? ` (${row.why})` : "";
    const cluster = row.cluster === null ? "" : `; cluster ${row.cluster}`;
    parts.push(make("p", "", `In the paper's layers: ${ROLES[row.role]}${why}${cluster}.`));
  }
  if (record >= 0) parts.push(make("p", "", make("span", "badge record", String(record + 1)), ` ${data.words.within}`));
  for (const one of [...state.view.regions, ...state.view.noise]) {
    if (one.node === row.node && !row.role) parts.push(quoted("p", "", `${one.what}.`));
  }
  if (row.measures) parts.push(...measured(row));
  if (!row.values.length) {
    if (row.box) parts.push(make("p", "hint", `${row.box[2]} × ${row.box[3]} pixels at ${row.box[0]}, ${row.box[1]}`));
    parts.push(quoted("p", "quote", row.text));
    return parts;
  }
  const body = make("tbody");
  let group = null;
  row.values.forEach((number, k) => {
    if (data.blocks.groups[k] !== group) {
      group = data.blocks.groups[k];
      const head = make("th", "group", group);
      head.colSpan = 2;
      body.append(make("tr", "", head));
    }
    body.append(make("tr", "", make("th", "", data.blocks.names[k]), quoted("td", "", String(data.blocks.values[number]))));
  });
  parts.push(make("table", "", body));
  if (row.fate) parts.push(quoted("p", "quote", row.text));
  return parts;
}

function recordDetails(i) {
  const record = state.view.records[i];
  const parts = [make("h3", "", `${data.words.One} ${i + 1}`), quoted("p", "quote", record.text)];
  if (!record.box) parts.push(make("p", "hint", "It has no box on the page."));
  const body = make("tbody");
  for (const item of record.items) {
    const cell = itemText("td", "", item);
    if (item.link) cell.append(make("div", "address", item.link));
    const name = make("th", "", item.label);
    if (item.static) name.append(make("div", "hint", "the same in all"));
    body.append(make("tr", "", name, cell));
  }
  parts.push(make("table", "", body));
  return parts;
}

function candidateDetails(i) {
  const one = state.view.candidates[i];
  const taken = one.region === null ? "Not taken." : `Taken as data region ${one.region + 1}.`;
  return [
    quoted("h3", "", one.name),
    make("p", "", `A set of ${one.records} parts (${one.kind}), score ${one.score.toFixed(4)}. ${taken}`),
    make("p", "hint", "Of each part the first element is shown."),
  ];
}
