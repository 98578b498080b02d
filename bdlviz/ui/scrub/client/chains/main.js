// Streamlit calls the default export at every mount and whenever the data of a mounted element changes.

/** @type {WeakMap<object, ChainsView>} */
const views = new WeakMap();

export default function mount({ data, parentElement, setTriggerValue }) {
  const send = (event) => setTriggerValue("commit", named(event));
  let view = views.get(parentElement);
  if (!view) {
    view = new ChainsView(parentElement.querySelector(".place"));
    views.set(parentElement, view);
  }
  view.take(data).catch((error) => {
    console.error(error);
    send({ failed: String(error) });
  });
  return () => {
    view.remove();
    views.delete(parentElement);
  };
}
