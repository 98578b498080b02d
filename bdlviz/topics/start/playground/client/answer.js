// The invisible component that hands the server's answer to the view.

export default function mount({ data }) {
  dispatchEvent(new CustomEvent("bdlviz-playground-answer", { detail: data }));
}
