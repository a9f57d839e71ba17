// The one walk through a rendered page. A function of one argument (filled in by newsextract/page/snapshot.py), called by the
// browser once; it returns one JSON string with a column per property, in document order.
//
// Form fields shadow properties of their form (<input name="id">, <input name="parentNode">), forms and pictures those of the
// document (<form name="body">), so nothing is read by a plain property; everything goes through the prototypes' accessors.
//
// Visible is what a reader can see by scrolling: not `display: none`, `visibility: hidden` or `opacity: 0` (own or of an
// ancestor), not in a closed <details>, not wholly clipped by an ancestor with `overflow: hidden`, not left of or above the
// page, and of text also: not without a box and not transparent. Where opacity and visibility hide more text than they
// leave, the page or its main part waits for a script that has not run, and they count for nothing. Whether another element covers it is not tested: a
// hit test for each node costs more than all else, and what lies over a page is mostly a banner that a reader closes.
//
// An open shadow root is written as a template with `shadowrootmode`, first in its host, and its row is that of a <div> of the
// host's place and style, as newsextract/page/shells.py reads such a template.
(options) => {
  "use strict";
  const getter = (prototype, name) => {
    const get = Object.getOwnPropertyDescriptor(prototype, name).get;
    return (node) => get.call(node);
  };
  const firstChild = getter(Node.prototype, "firstChild");
  const nextSibling = getter(Node.prototype, "nextSibling");
  const nodeType = getter(Node.prototype, "nodeType");
  const textOf = getter(CharacterData.prototype, "data");
  const localName = getter(Element.prototype, "localName");
  const attributesOf = getter(Element.prototype, "attributes");
  const shadowOf = getter(Element.prototype, "shadowRoot");
  const hostOf = getter(ShadowRoot.prototype, "host");
  const outerHTML = getter(Element.prototype, "outerHTML");
  const scrollWidth = getter(Element.prototype, "scrollWidth");
  const scrollHeight = getter(Element.prototype, "scrollHeight");
  const clientWidth = getter(Element.prototype, "clientWidth");
  const boxOf = Element.prototype.getBoundingClientRect;
  const checkVisibility = Element.prototype.checkVisibility;
  const styleAttribute = getter(HTMLElement.prototype, "style");

  const root = getter(Document.prototype, "documentElement")(document);
  const body = getter(Document.prototype, "body")(document);
  const tagged = (name) => Document.prototype.getElementsByTagName.call(document, name);
  if (!root) return JSON.stringify({ error: "the document has no element" });
  const elements = tagged("*").length;
  if (elements > options.maxNodes) {
    return JSON.stringify({ error: `the page has ${elements} elements, over the cap of ${options.maxNodes} nodes` });
  }
  // Where scripts run, what <noscript> holds is text here and would be elements, in wrong places, to who reads the source.
  const silenced = [];
  for (const element of tagged("noscript")) {
    const inner = firstChild(element);
    if (inner && nodeType(inner) === 3 && textOf(inner).includes("<")) silenced.push([inner, textOf(inner)]);
  }
  const setText = Object.getOwnPropertyDescriptor(CharacterData.prototype, "data").set;
  for (const [inner] of silenced) setText.call(inner, "");
  const shadowRoots = [];
  const addShadows = (found) => {
    for (const element of found) {
      const shadow = shadowOf(element);
      if (shadow) shadowRoots.push(shadow);
    }
  };
  addShadows(tagged("*"));
  for (let i = 0; i < shadowRoots.length && i < options.maxNodes; i++) {
    addShadows(DocumentFragment.prototype.querySelectorAll.call(shadowRoots[i], "*"));
  }
  const outerOf = (element) => {
    if (!shadowRoots.length) return outerHTML(element);
    const tags = outerHTML(Node.prototype.cloneNode.call(element, false)), end = tags.lastIndexOf("</");
    return tags.slice(0, end) + Element.prototype.getHTML.call(element, { shadowRoots }) + tags.slice(end);
  };
  const type = getter(Document.prototype, "doctype")(document);
  const html = (type ? `<!DOCTYPE ${type.name || "html"}${type.publicId ? ` PUBLIC "${type.publicId}"` : ""}${
    type.systemId ? `${type.publicId ? "" : " SYSTEM"} "${type.systemId}"` : ""}>` : "") + outerOf(root);
  for (const [inner, text] of silenced) setText.call(inner, text);
  if (html.length > options.maxHtml) {
    return JSON.stringify({ error: `the page has ${html.length} characters, over the cap of ${options.maxHtml}` });
  }

  // A page without a display waits for its script; it gets one for the time of the walk.
  const shown = [];
  for (const element of [root, body]) {
    if (!(element instanceof HTMLElement) || getComputedStyle(element).display !== "none") continue;
    shown.push([element, element.getAttribute("style")]);
    styleAttribute(element).setProperty("display", "block", "important");
  }

  // White space is what Python's str.split calls so; both sides count the same text nodes.
  const blank = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
  const ink = new RegExp(`[^${blank}]`), space = new RegExp(`[${blank}]+`, "g");
  const unseen = new Set(options.unseen), names = options.styles, count = names.length;
  const [POSITION, OVERFLOW, DISPLAY, SIZE, COLOR, IMAGE] = [
    "position", "overflow", "display", "font-size", "color", "background-image"].map((name) => names.indexOf(name));
  const rows = [], rowNumbers = new Map();
  const tagNames = [], tagNumbers = new Map();
  const tags = [], texts = [], attributes = [], parents = [], styles = [], boxes = [], visible = [];
  const HIDDEN = 0, SEEN = 1, VEILED = 2; // veiled: hidden by nothing but opacity or visibility
  const characters = [0, 0, 0]; // of hidden, seen and veiled text
  const sizes = new Map(); // characters by font size
  const right = Math.max(scrollWidth(root), body instanceof HTMLElement ? scrollWidth(body) : 0);
  const bottom = Math.max(scrollHeight(root), body instanceof HTMLElement ? scrollHeight(body) : 0);
  // Where text runs from right to left, the page extends to the left of its first screen.
  const left = getComputedStyle(root).direction === "rtl" ? clientWidth(root) - right : 0;
  const dx = window.scrollX - left, dy = window.scrollY;
  const range = Document.prototype.createRange.call(document);
  const seesThrough = { opacityProperty: true, visibilityProperty: true };
  const round = (number) => Math.round(number * 100) / 100;
  const numberOf = (tag) => {
    let number = tagNumbers.get(tag);
    if (number === undefined) {
      tagNumbers.set(tag, (number = tagNames.length));
      tagNames.push(tag);
    }
    return number;
  };
  // What comes behind a node in its parent: behind a shadow root, the children of its host.
  const next = (node) => nodeType(node) === 11 ? firstChild(hostOf(node)) : nextSibling(node);

  // Clips are [left, top, right, bottom]; null clips nothing. Positioned elements are clipped by positioned ancestors only.
  const narrowed = (clip, box) => clip === null ? box : [
    Math.max(clip[0], box[0]), Math.max(clip[1], box[1]), Math.min(clip[2], box[2]), Math.min(clip[3], box[3])];
  const clipped = (clip, x0, y0, x1, y1) => clip !== null && (
    clip[2] - clip[0] < 2 || clip[3] - clip[1] < 2 || // the one pixel in which pages keep text for screen readers
    x1 <= clip[0] || x0 >= clip[2] || y1 <= clip[1] || y0 >= clip[3]);
  const place = (rect) => {
    const x = rect.left + dx, y = rect.top + dy, wide = rect.width, high = rect.height;
    boxes.push(round(x), round(y), round(wide), round(high));
    return [x, y, x + wide, y + high];
  };
  const offPage = (box) => box[2] <= 0 && box[0] < 0 || box[3] <= 0 && box[1] < 0 || box[0] >= right && box[2] > box[0];
  const styleRow = (element) => {
    const computed = getComputedStyle(element);
    const row = new Array(count);
    for (let i = 0; i < count; i++) row[i] = computed.getPropertyValue(names[i]);
    const key = row.join("\u0001");
    let number = rowNumbers.get(key);
    if (number === undefined) {
      rowNumbers.set(key, (number = rows.length));
      rows.push(row);
    }
    return [number, computed];
  };

  // What a child needs of its parent.
  const open = [];
  let above = { number: -1, style: -1, drawn: true, seen: SEEN, barred: false, inkless: false,
    clip: null, clipPositioned: null };
  let node = root;
  while (node) {
    let child = null;
    const kind = nodeType(node);
    if (kind === 3) {
      const data = textOf(node);
      if (ink.test(data)) {
        const folded = data.replace(space, " ").replace(/^ | $/g, "");
        tags.push(-1);
        texts.push(folded);
        parents.push(above.number);
        styles.push(above.style);
        let sees = HIDDEN;
        if (above.drawn) {
          range.selectNode(node);
          const box = place(range.getBoundingClientRect());
          if (!above.inkless && box[2] > box[0] && box[3] > box[1] && !offPage(box) &&
              !clipped(above.clip, box[0], box[1], box[2], box[3])) {
            sees = above.seen;
            characters[sees] += folded.length;
            if (sees) {
              const size = rows[above.style][SIZE];
              sizes.set(size, (sizes.get(size) || 0) + folded.length);
            }
          }
        } else {
          boxes.push(0, 0, 0, 0);
        }
        visible.push(sees);
      }
    } else if (kind === 1) {
      const tag = localName(node).toLowerCase();
      const tagNumber = numberOf(tag);
      const own = attributesOf(node);
      const pairs = [];
      for (let i = 0; i < own.length; i++) {
        const value = own[i].value;
        pairs.push(own[i].name.toLowerCase(), value.length > options.maxValue ? value.slice(0, options.maxValue) : value);
      }
      const here = {
        number: tags.length, style: above.style, drawn: above.drawn, seen: HIDDEN, barred: false, inkless: false,
        clip: above.clip, clipPositioned: above.clipPositioned,
      };
      tags.push(tagNumber);
      attributes.push(pairs);
      parents.push(above.number);
      let sees = HIDDEN;
      if (above.drawn) {
        const [style, computed] = styleRow(node);
        const row = rows[style];
        here.style = style;
        const display = row[DISPLAY];
        here.drawn = display !== "none";
        if (!here.drawn) {
          boxes.push(0, 0, 0, 0);
        } else {
          let rect;
          if (display === "contents") {
            range.selectNodeContents(node);
            rect = range.getBoundingClientRect();
          } else {
            rect = boxOf.call(node);
          }
          const box = place(rect);
          const position = row[POSITION];
          if (position === "fixed") here.clip = here.clipPositioned = null;
          else if (position === "absolute") here.clip = here.clipPositioned;
          const unclipped = !clipped(here.clip, box[0], box[1], box[2], box[3]) || (box[2] === box[0] || box[3] === box[1]);
          here.barred = above.barred || unseen.has(tag);
          if (position === "absolute" || position === "fixed") {
            const [top, end, foot, start] = computed.clip.replace("rect(", "").split(",").map(parseFloat);
            if (end - start < 2 || foot - top < 2) here.barred = true; // false where clip is "auto"
          }
          // `visibility` may differ from the parent's either way, so each element is asked.
          if (here.barred) here.seen = HIDDEN;
          else if (display === "contents") here.seen = computed.visibility === "visible" ? SEEN : VEILED;
          else if (checkVisibility.call(node, seesThrough)) here.seen = SEEN;
          else if (checkVisibility.call(node)) here.seen = VEILED;
          if (unclipped && !offPage(box)) sees = here.seen;
          const overflow = row[OVERFLOW];
          if (overflow !== "visible" && display !== "inline" && node !== root && node !== body) {
            // What can be scrolled to can be seen, unless the scroller itself cannot.
            if (!/auto|scroll/.test(overflow)) here.clip = narrowed(here.clip, box);
            else if (unclipped) here.clip = null;
          }
          if (position !== "static") here.clipPositioned = here.clip;
          here.inkless = row[IMAGE] === "none" && /^rgba\(.*, 0\)$/.test(row[COLOR]) ||
            tag === "details" && !node.hasAttribute("open");
        }
      } else {
        boxes.push(0, 0, 0, 0);
      }
      styles.push(here.style);
      visible.push(sees);
      child = firstChild(node);
      const shadow = shadowOf(node);
      if (child || shadow) {
        open.push(node, above);
        above = here;
      }
      if (shadow) {
        const box = boxes.slice(-4);
        const inner = { ...here, number: tags.length };
        tags.push(numberOf("div"));
        attributes.push([]);
        parents.push(here.number);
        styles.push(here.style);
        boxes.push(...box);
        visible.push(sees);
        if (firstChild(shadow)) {
          open.push(shadow, above);
          above = inner;
          child = firstChild(shadow);
        }
      }
      if (child) {
        node = child;
        continue;
      }
      if (shadow) {
        above = open.pop();
        open.pop();
      }
    }
    if (tags.length > options.maxNodes) break;
    let following = node === root ? null : nextSibling(node);
    while (!following && open.length) {
      above = open.pop();
      const parent = open.pop();
      following = parent === root ? null : next(parent);
      if (parent === root) open.length = 0;
    }
    node = following;
  }
  for (const [element, before] of shown) {
    if (before === null) element.removeAttribute("style");
    else element.setAttribute("style", before);
  }
  if (tags.length > options.maxNodes) {
    return JSON.stringify({ error: `the page has more than ${options.maxNodes} nodes` });
  }
  const veiledAreSeen = characters[VEILED] > characters[SEEN];
  let base = "", most = 0;
  for (const [size, set] of sizes) if (set > most) [base, most] = [size, set];
  const result = {
    url: location.href, html, tagNames, tags, texts, attributes, parents, styles, boxes, styleTable: rows,
    visible: visible.map((sees) => sees === SEEN || (sees === VEILED && veiledAreSeen) ? 1 : 0),
    pageSize: [right, bottom], viewport: [window.innerWidth, window.innerHeight],
    baseFontSize: parseFloat(base || getComputedStyle(body || root).fontSize) || 16,
  };
  // Old script libraries teach arrays and strings a toJSON of their own, which would write them as strings of strings.
  const taught = [Array, String, Number, Object].map(({ prototype }) => [prototype, prototype.toJSON]);
  for (const [prototype] of taught) delete prototype.toJSON;
  const written = JSON.stringify(result);
  for (const [prototype, method] of taught) if (method !== undefined) prototype.toJSON = method;
  return written;
}
