(limit) => new Promise((resolve) => {
  // Frames of the touched slider have arrived when nothing was added for half a second.
  const count = () => [...(globalThis.bdlvizDrag?.frames.values() ?? [])].reduce((sum, each) => sum + each.made.size, 0);
  const begin = performance.now();
  let [last, since] = [-1, begin];
  const look = () => {
    const now = performance.now();
    if (count() !== last) [last, since] = [count(), now];
    if ((last > 0 && now - since > 500) || now - begin > limit) resolve(last);
    else setTimeout(look, 50);
  };
  look();
})
