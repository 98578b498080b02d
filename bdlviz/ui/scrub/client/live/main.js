// Streamlit calls the default export at every mount and whenever the data of a mounted element changes.

const boards = new WeakMap();
const urlOf = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
const loaded = (async () => {
  const engine = urlOf(SOURCES.engine);
  const [live, view] = await Promise.all([import(engine), import(urlOf(SOURCES.view))]);
  return { engine, live, view };
})();
let numEvents = 0;

export default function mount({ data, parentElement, setTriggerValue }) {
  let isMounted = true;
  const name = () => `${performance.timeOrigin}-${(numEvents += 1)}`;
  loaded.then(({ engine, live, view }) => {
    if (!isMounted) return;
    if (!boards.has(parentElement)) {
      boards.set(parentElement, new view.Board(parentElement.querySelector(".place"), live, engine, SOURCES));
    }
    boards.get(parentElement).take(data, (event) => setTriggerValue("commit", { ...event, name: name() }));
  });
  return () => {
    isMounted = false;
    boards.get(parentElement)?.remove();
    boards.delete(parentElement);
  };
}
