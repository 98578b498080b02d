// Streamlit calls the default export at every mount and whenever the data of a mounted element changes.

/** @type {WeakMap<object, Sheet>} */
const sheets = new WeakMap();

export default function mount({ data, parentElement, setTriggerValue }) {
  let sheet = sheets.get(parentElement);
  if (!sheet) {
    sheet = new Sheet(parentElement.querySelector(".place"));
    sheets.set(parentElement, sheet);
  }
  sheet.take(data, (event) => setTriggerValue("commit", named(event)));
  return () => {
    sheet.remove();
    sheets.delete(parentElement);
  };
}
