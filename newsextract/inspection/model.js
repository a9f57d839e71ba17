// The data of the page, and how elements are made. Text of the page is only ever put in as text.

const data = JSON.parse(document.getElementById("data").textContent);
const rows = data.blocks.rows;
const by = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

/** An element with a class, and children: texts or elements. */
function make(tag, name, ...children) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** An element with text of the page, whose direction is its own. */
function quoted(tag, name, text) {
  const element = make(tag, name, text);
  element.dir = "auto";
  return element;
}

/** What an item says; an image its alternative text. */
function itemText(tag, name, item) {
  const element = quoted(tag, name, item.text);
  if (item.kind === "image") element.prepend(make("span", "kind", "image"));
  return element;
}

function button(name, label, run) {
  const element = make("button", name, label);
  element.type = "button";
  element.addEventListener("click", run);
  return element;
}

/** Tabs by arrow keys; pick(i) is told which. */
function tabs(list, labels, pick) {
  const made = labels.map((label, i) => {
    const tab = button("", label, () => choose(i));
    tab.setAttribute("role", "tab");
    return tab;
  });
  function choose(i) {
    made.forEach((tab, j) => {
      tab.setAttribute("aria-selected", String(i === j));
      tab.tabIndex = i === j ? 0 : -1;
    });
    pick(i);
  }
  list.replaceChildren(...made);
  list.onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = made.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    const next = (at + step + made.length) % made.length;
    made[next].focus();
    choose(next);
  };
  return choose;
}

// What is looked at: {kind: "block" | "record" | "candidate" | "box", index} or null. The one under the pointer goes before the chosen one.
const state = { view: null, hover: null, chosen: null, layers: {} };
const listeners = [];
let asked = false;

function same(a, b) {
  return a === b || (a !== null && b !== null && a.kind === b.kind && a.index === b.index);
}

/** Tell everybody, once a frame. */
function changed() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    listeners.forEach((listener) => listener());
  });
}

function hover(target) {
  if (same(state.hover, target)) return;
  state.hover = target;
  changed();
}

/** Choose; `from` is who asks, so that the others may bring it into sight. */
function choose(target, from) {
  state.chosen = target;
  if (target !== null) reveal.forEach((show) => show(target, from));
  changed();
}
const reveal = [];

const seen = () => state.hover || state.chosen;

/** The boxes of a target: left, top, width, height. */
function boxesOf(target) {
  if (target === null) return [];
  if (target.kind === "block") return [rows[target.index].box];
  if (target.kind === "record") return [state.view.records[target.index].box];
  return [];
}
