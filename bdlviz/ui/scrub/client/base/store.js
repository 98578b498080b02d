// The invisible component that mounts a block.

export default function mount({ data }) {
  shelve(new Uint8Array(data));
}
