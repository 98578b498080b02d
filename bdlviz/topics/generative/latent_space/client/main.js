// Streamlit calls the default export at every mount and whenever the data of a mounted element changes.

/** @type {WeakMap<object, Card>} */
const cards = new WeakMap();

export default function mount({ data, parentElement }) {
  let card = cards.get(parentElement);
  if (!card) {
    card = new Card(parentElement.querySelector(".place"));
    cards.set(parentElement, card);
  }
  card.take(data);
  return () => {
    card.remove();
    cards.delete(parentElement);
  };
}
