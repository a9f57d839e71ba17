// What a page is asked for before it is read. Called with "filled" and a time in milliseconds, with "more", or with "top".
// Returns for "filled" whether the page waited for something, for "more" whether there was something to scroll to or to click.
([what, milliseconds]) => {
  const MORE =
    /^(?:\+\s*)?(?:(?:load|show|view|see|read)\s+(?:\d+\s+)?more|(?:load|show)\s+(?:\d+\s+)?(?:older|previous)|more\s+(?:posts|articles|stories|results|news|comments|items)|(?:mehr|weitere|ältere)\s+.{0,20}(?:laden|anzeigen)|mehr|(?:charger|voir|afficher)\s+(?:plus|la suite)|(?:cargar|ver|mostrar)\s+más|(?:carica|mostra)\s+altr[io]|(?:carregar|ver|mostrar)\s+mais|(?:показать|загрузить|показати|завантажити)\s+(?:ещё|еще|больше|ще|більше)|加载更多|載入更多|载入更多|查看更多|更多|もっと見る|さらに表示|더\s?보기|(?:عرض|تحميل)\s+المزيد|daha fazla.{0,12}|(?:meer|toon meer).{0,10}|(?:pokaż|załaduj|wczytaj)\s+więcej|(?:visa|ladda)\s+fler|(?:vis|se)\s+fler|näytä lisää|(?:načíst|zobrazit)\s+další|xem thêm|muat lebih banyak|और देखें)(?:\s.{0,20})?[\s.…»›→↓▼]*$/iu;
  const WAITING = '[aria-busy="true"], [class*="skeleton" i], [class*="spinner" i]';
  const isShown = (one) => one.getClientRects().length > 0 && getComputedStyle(one).visibility !== "hidden";
  const holdsText = (root) =>
    [...root.childNodes].some((node) =>
      node.nodeType === 3
        ? node.data.trim()
        : node.nodeType === 1 && !/^(?:script|style|noscript|template)$/i.test(node.nodeName) && holdsText(node.shadowRoot ?? node));
  if (what === "filled") {
    const waits = () => document.body && (!holdsText(document.body) || [...document.querySelectorAll(WAITING)].some(isShown));
    if (!waits()) return false;
    return new Promise((done) => {
      const until = performance.now() + milliseconds;
      const look = () => (performance.now() < until && waits() ? setTimeout(look, 50) : done(true));
      look();
    });
  }
  if (what === "top") return scrollTo(0, 0);
  const before = scrollY;
  scrollBy(0, innerHeight);
  const buttons = [...document.querySelectorAll('button, [role="button"], a:not([href]), a[href^="#"], a[href^="javascript:"]')];
  const found = buttons.findLast((one) => MORE.test((one.innerText || "").trim().slice(0, 60)) && !one.disabled && !one.form && isShown(one));
  found?.click();
  return scrollY > before || Boolean(found);
}
