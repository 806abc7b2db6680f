// The document as it stands, with what is in open shadow trees where it is shown; "" for
// one that is too large.
(() => {
	const open = (root) => {
		for (const host of root.querySelectorAll("*")) {
			if (!host.shadowRoot) continue
			open(host.shadowRoot)
			const shown = document.createDocumentFragment() // a shadow tree itself cannot be copied
			shown.append(...[...host.shadowRoot.childNodes].map((n) => n.cloneNode(true)))
			const slots = host.shadowRoot.querySelectorAll("slot")
			shown.querySelectorAll("slot").forEach((slot, i) => slot.replaceWith(...slots[i].assignedNodes().map((n) => n.cloneNode(true))))
			host.replaceChildren(shown)
		}
	}
	if (document.getElementsByTagName("*").length > 200000) return ""
	open(document)
	const text = "<!doctype html>" + document.documentElement.outerHTML
	return text.length > 6 << 20 ? "" : text
})()
