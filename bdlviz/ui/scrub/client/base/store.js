// What mounts a block: it has nothing to show.

export default function mount({ data }) {
  shelve(new Uint8Array(data));
}
