// The search field of the glossary: it hides the entries without the typed words, and those with them in the name come
// first. What a visitor types is only compared, never written into the page.

const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim();
/** @type {WeakMap<Element, {data: any}>} */
const shown = new WeakMap();

export default function mount({ data, parentElement, setTriggerValue }) {
  const [root, field, count, list] = [".glossary", "input", "output", ".terms"].map((each) => parentElement.querySelector(each));
  const last = shown.get(list)?.data;
  shown.set(list, { data });
  if (last?.html !== data.html || last.link !== data.link) {
    list.innerHTML = data.html; // of the project's own terms
    for (const picture of list.querySelectorAll("img")) picture.src = data.pictures[picture.dataset.page];
    root.style.setProperty("--glossary-link", data.link);
  }
  if (data.term !== last?.term && (data.term || field.value === last?.term)) field.value = data.term;
  const filter = () => {
    const words = plain(field.value);
    let found = 0;
    for (const entry of list.children) {
      const isNamed = plain(entry.querySelector("h4").textContent).includes(words);
      entry.hidden = !isNamed && !plain(entry.textContent).includes(words);
      entry.style.order = isNamed ? 0 : 1;
      found += !entry.hidden;
    }
    count.textContent = words ? `${found} of ${list.children.length} terms` : "";
  };
  field.oninput = () => {
    filter();
    if (data.term) setTriggerValue("typed", true); // the link names a term no more
  };
  filter();
}
