// A search field: it hides the entries without the typed words, and cards with them in the heading come first. What a
// visitor types is only compared, never written into the page.

const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim();
/** @type {WeakMap<Element, {data: any}>} */
const shown = new WeakMap();

export default function mount({ data, parentElement, setTriggerValue }) {
  const find = (selector) => parentElement.querySelector(selector);
  const parts = [".search", "span", "input", "output", "nav", ".found, .rows, .gallery"];
  const [root, name, field, count, names, list] = parts.map(find);
  const last = shown.get(list)?.data;
  shown.set(list, { data });
  if (last?.html !== data.html || last.link !== data.link) {
    name.textContent = `Find a ${data.noun}`;
    list.className = data.look;
    list.innerHTML = data.html; // written by the project itself, as are the names
    if (last?.names !== data.names) names.innerHTML = data.names;
    for (const picture of list.querySelectorAll("img")) picture.src = data.pictures[picture.dataset.page];
    for (const color of ["link", "muted"]) root.style.setProperty(`--search-${color}`, data[color]);
  }
  const filter = () => {
    const words = plain(field.value);
    let found = 0, all = 0;
    for (const card of list.children) {
      const isNamed = plain(card.querySelector("h4").textContent).includes(words);
      const entries = data.look === "gallery" ? [...card.querySelectorAll("p")] : [card];
      for (const entry of entries) entry.hidden = !isNamed && !plain(entry.textContent).includes(words);
      card.hidden = entries.every((entry) => entry.hidden);
      card.style.order = isNamed ? 0 : 1;
      if (words) for (const page of card.querySelectorAll("details")) page.open = true;
      found += entries.filter((entry) => !entry.hidden).length;
      all += entries.length;
    }
    count.textContent = words ? `${found} of ${all} ${data.noun}s` : "";
  };
  field.oninput = filter;
  names.onclick = (event) => {
    if (!event.target.href) return;
    event.preventDefault();
    field.value = "";
    filter();
    setTriggerValue("clicked", event.target.href.split("=").pop());
  };
  filter();
}
