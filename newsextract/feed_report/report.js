"use strict";
/* Filters the lists of a report. Without it all is shown. */
const AT_ONCE = 50;

for (const controls of document.querySelectorAll(".controls")) {
  const name = controls.querySelector("output").dataset.of;
  const list = document.getElementById(name);
  const output = controls.querySelector("output");
  const articles = [...list.children];
  const texts = articles.map((article) => article.textContent.toLowerCase());
  const more = document.createElement("button");
  more.type = "button";
  list.after(more);
  let limit = AT_ONCE;

  const value = (by) => controls.querySelector(`[data-by=${by}]`)?.value ?? "";

  function show(focused) {
    const words = value("words").toLowerCase().split(/\s+/).filter(Boolean);
    const site = value("site"), status = value("status");
    let found = 0;
    articles.forEach((article, number) => {
      const matches = (!site || article.dataset.site === site) && (!status || article.dataset.status === status) &&
        words.every((word) => texts[number].includes(word));
      found += matches;
      article.hidden = !matches || found > limit;
      if (focused && matches && found === limit - AT_ONCE + 1) {
        article.querySelector("a, summary")?.focus();
      }
    });
    output.textContent = `${Math.min(found, limit)} of ${found} found are shown`;
    more.hidden = found <= limit;
    more.textContent = `Show ${Math.min(AT_ONCE, found - limit)} more`;
  }

  let timer = 0;
  controls.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => { limit = AT_ONCE; show(false); }, 150);
  });
  more.addEventListener("click", () => { limit += AT_ONCE; show(true); });
  output.setAttribute("aria-live", "polite");
  controls.hidden = false;
  show(false);
}
