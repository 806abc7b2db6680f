// Keeps a run under way fresh, shows a citation's passage beside the report, and sends
// a choice of a filter at once. Without it every page can be read all the same.
"use strict";
(() => {
  const live = document.getElementById("live");
  const state = document.getElementById("state");
  const asks = document.getElementById("asks") !== null;

  // What the server writes as text is text already: it escapes all that is foreign.
  const fresh = (html) => {
    const inside = live.contains(document.activeElement) ? document.activeElement : null;
    const label = inside && (inside.getAttribute("aria-label") || inside.getAttribute("href"));
    const scrolled = [...live.querySelectorAll(".wide")].map((e) => e.scrollLeft);
    live.innerHTML = html;
    live.querySelectorAll(".wide").forEach((e, i) => { e.scrollLeft = scrolled[i] || 0; });
    if (label) {
      const again = [...live.querySelectorAll("[tabindex],a[href]")].find((e) => (e.getAttribute("aria-label") || e.getAttribute("href")) === label);
      if (again) again.focus({ preventScroll: true });
    }
  };

  const note = document.createElement("p");
  note.className = "told";
  note.setAttribute("role", "status");
  let at = new Date();
  const lost = (why) => {
    if (why === "") { at = new Date(); note.remove(); return; }
    note.textContent = why + " Last update " + at.toLocaleTimeString() + ".";
    if (!note.isConnected) live.before(note);
  };

  const follow = () => {
    const from = new EventSource(live.dataset.events);
    from.addEventListener("standing", (e) => { at = new Date(); fresh(e.data); });
    from.addEventListener("state", (e) => { if (state && state.innerHTML !== e.data) state.innerHTML = e.data; }); // it is read out
    from.addEventListener("open", () => lost(""));
    from.addEventListener("error", () => lost(from.readyState === EventSource.CLOSED ? "Not live any more; load the page anew, or open the address that council serve prints." : "Not live: the server does not answer."));
    from.addEventListener("asks", () => { if (!asks) location.reload(); });
    from.addEventListener("end", () => { from.close(); location.replace(location.pathname); });
    return from;
  };
  if (live && live.dataset.open !== "false" && window.EventSource) {
    let from = follow();
    document.addEventListener("visibilitychange", () => { // a browser has few connections to one server
      from.close();
      if (!document.hidden) from = follow();
    });
    addEventListener("pagehide", () => from.close());
    addEventListener("pageshow", (e) => { if (e.persisted) from = follow(); });
  }

  // Scrolls what a passage stands in, from the inside out, and leaves the page where it is.
  const reveal = (passage) => {
    for (const box of passage ? [passage.closest(".lines"), passage.closest("aside")] : []) {
      if (box) box.scrollTop += passage.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
    }
  };

  const beside = document.getElementById("beside");
  const resting = beside ? [...beside.childNodes] : [];
  let cited = null;
  const close = () => {
    beside.classList.remove("filled");
    beside.style.maxHeight = "";
    beside.replaceChildren(...resting);
    if (cited) cited.focus();
  };
  const show = async (link) => {
    const answer = await fetch(link.href);
    if (!answer.ok) { location.href = link.href; return; }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const claim = page.querySelector("article.claim");
    if (!claim) { location.href = link.href; return; }
    const shut = document.createElement("button");
    shut.textContent = "Close";
    shut.addEventListener("click", close);
    const whole = document.createElement("a");
    whole.href = link.href;
    whole.textContent = "Open alone";
    const bar = document.createElement("p");
    bar.append(shut, " ", whole);
    beside.replaceChildren(bar, document.importNode(claim, true));
    beside.classList.add("filled");
    // It is as high as what is in view of it: what stands below could be scrolled to by nobody.
    beside.style.maxHeight = "";
    if (getComputedStyle(beside).position === "sticky") beside.style.maxHeight = Math.max(240, innerHeight - beside.getBoundingClientRect().top - 16) + "px";
    cited = link;
    beside.focus({ preventScroll: true });
    reveal(beside.querySelector("#passage"));
  };
  if (beside) {
    document.addEventListener("click", (e) => {
      const link = e.target.closest && e.target.closest("a.cite");
      if (!link || e.ctrlKey || e.metaKey || e.shiftKey || e.button !== 0) return;
      e.preventDefault();
      show(link);
    });
    document.addEventListener("keydown", (e) => { if (e.key === "Escape" && beside.classList.contains("filled")) close(); });
  }

  reveal(document.getElementById("passage"));

  for (const form of document.querySelectorAll("form.filter")) {
    form.addEventListener("change", (e) => { if (e.target.matches("select,input[type=checkbox]")) form.requestSubmit(); });
    form.addEventListener("formdata", (e) => { // an address says only what was chosen
      for (const [name, value] of [...e.formData]) if (value === "") e.formData.delete(name);
    });
  }
  for (const form of document.querySelectorAll("form[method=post]")) {
    form.addEventListener("submit", () => { for (const b of form.querySelectorAll("button")) b.disabled = true; });
  }
})();
