(() => {
  "use strict";
  const panel = document.getElementById("panel"), card = document.getElementById("card");
  if (!panel || !card) return;
  const shown = panel.querySelector(".shown"), whole = panel.querySelector(".whole");
  const narrow = matchMedia("(max-width:63.99rem)");
  let from = null, at = null, leaving = 0;

  // The claim a link in the text, in a list or in the panel cites.
  const citing = (target) => target instanceof Element ? target.closest("a.claim[href^='#c']") : null;
  const claimOf = (link) => document.getElementById(link.getAttribute("href").slice(1));
  const make = (name, text, className) => {
    const e = document.createElement(name);
    e.textContent = text;
    if (className) e.className = className;
    return e;
  };

  const short = (text) => {
    const said = text.trim();
    return said.length > 240 ? said.slice(0, 239) + "…" : said;
  };

  function copyOf(claim) {
    const copy = claim.cloneNode(true);
    for (const e of [copy, ...copy.querySelectorAll("[id]")]) e.removeAttribute("id");
    return copy;
  }

  function open(link) {
    const claim = claimOf(link);
    if (!claim) return false;
    hide();
    if (!panel.contains(link)) from = link;
    shown.replaceChildren(copyOf(claim));
    whole.setAttribute("href", "#" + claim.id);
    panel.setAttribute("aria-label", "Evidence of " + claim.id.toUpperCase());
    panel.hidden = false;
    panel.scrollTop = 0;
    panel.focus({ preventScroll: true });
    if (!narrow.matches && from) from.scrollIntoView({ block: "nearest" });
    return true;
  }

  function close() {
    panel.hidden = true;
    if (from) from.focus({ preventScroll: true });
    from = null;
  }

  // Quotation, source, date and state, beside a citation.
  function show(link) {
    const claim = claimOf(link);
    if (!claim || panel.contains(link) || !link.closest(".cite")) return;
    const parts = [];
    for (const e of claim.querySelectorAll("mark,.quote")) {
      parts.push(make(e.matches("mark") ? "q" : "p", short(e.textContent))); // a quotation not found brings its own marks
      if (parts.length === 3) break;
    }
    const grounds = claim.querySelectorAll(".rests-on>li");
    if (grounds.length) parts.splice(0); // of a conclusion: what it says, and what it rests on
    if (!parts.length) parts.push(make("p", claim.querySelector("h3").textContent));
    for (const e of [...claim.querySelectorAll(".lost"), ...[...grounds].slice(0, 3)]) parts.push(make("p", short(e.textContent), "from"));
    if (grounds.length > 3) parts.push(make("p", `and ${grounds.length - 3} more`, "from"));
    for (const e of [...claim.querySelectorAll(".from")].slice(0, 3)) parts.push(make("p", e.textContent, "from"));
    const state = make("p", "", "state");
    if (grounds.length) state.textContent = claim.querySelector(".state").textContent;
    else for (const e of claim.querySelectorAll(".state .badge")) state.append(e.cloneNode(true), " ");
    card.replaceChildren(...parts, state);
    card.hidden = false;
    const box = link.getClientRects()[0], room = document.documentElement;
    const left = Math.max(8, Math.min(box.left, room.clientWidth - card.offsetWidth - 16));
    const above = box.bottom + card.offsetHeight + 12 > innerHeight && box.top > card.offsetHeight + 12;
    card.setAttribute("data-at", above ? "above" : "below");
    card.style.left = left + scrollX + "px";
    card.style.top = (above ? box.top - card.offsetHeight - 6 : box.bottom + 6) + scrollY + "px";
    link.setAttribute("aria-describedby", "card");
    at = link;
    clearTimeout(leaving);
  }

  function hide() {
    clearTimeout(leaving);
    card.hidden = true;
    if (at) at.removeAttribute("aria-describedby");
    at = null;
  }

  for (const link of document.querySelectorAll(".cite a[title]")) link.removeAttribute("title"); // the card says it
  document.addEventListener("click", (e) => {
    const link = citing(e.target);
    if (link && !(e.ctrlKey || e.metaKey || e.shiftKey) && open(link)) e.preventDefault();
    else if (e.target === whole || panel.contains(e.target) && e.target.closest("a[href^='#']")) panel.hidden = true;
  });
  panel.querySelector("button").addEventListener("click", close);
  document.addEventListener("keydown", (e) => {
    if (e.key !== "Escape") return;
    if (!card.hidden) hide();
    else if (!panel.hidden) close();
  });
  document.addEventListener("mouseover", (e) => {
    const link = citing(e.target);
    if (link && link !== at) show(link);
    clearTimeout(leaving); // whoever moves on to the card may read it
    if (at && !link && !card.contains(e.target) && at !== document.activeElement) leaving = setTimeout(hide, 200);
  });
  document.addEventListener("focusin", (e) => {
    const link = citing(e.target);
    if (link && link.matches(":focus-visible")) show(link);
    else hide();
  });

  // What is folded opens where a link leads into it, and for the printer.
  const unfold = () => {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { return; }
    const e = id && document.getElementById(id);
    if (!e) return;
    const part = e.closest("details");
    if (part) part.open = true;
    if (!e.matches("a,input")) e.tabIndex = -1;
    e.focus({ preventScroll: true });
    e.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  if (location.hash) unfold();
  addEventListener("beforeprint", () => {
    if (document.getElementById("print-appendix")?.checked) for (const e of document.querySelectorAll(".appendix details.part")) e.open = true;
  });
  const contents = document.querySelector("details.contents");
  const fold = () => { contents.open = !narrow.matches; };
  fold();
  narrow.addEventListener("change", fold);

  const hits = document.querySelector(".hits"), all = document.querySelectorAll("article.claim,tr.claim");
  document.querySelector(".filter")?.addEventListener("change", (e) => {
    const word = e.target.id.slice("show-".length);
    const left = word === "all" ? all.length : [...all].filter((c) => c.classList.contains("is-" + word)).length;
    hits.textContent = left ? `${left} of ${all.length} claims` : `No claim is ${word === "disputed" ? "in a dispute that is open" : word}.`;
  });

  // The section that is read is marked in the contents.
  const links = new Map([...contents.querySelectorAll("a")].map((a) => [a.getAttribute("href").slice(1), a]));
  const heads = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  let waiting = false;
  const mark = () => {
    waiting = false;
    const now = heads.filter((h) => h.getBoundingClientRect().top < innerHeight / 3).pop() || heads[0];
    for (const [id, a] of links) {
      if (now && id === now.id) a.setAttribute("aria-current", "true");
      else a.removeAttribute("aria-current");
    }
  };
  addEventListener("scroll", () => { if (!waiting) { waiting = true; requestAnimationFrame(mark); } }, { passive: true });
  mark();
})();
