async (seconds) => {
  // Training steps and sets of samples a second, and the milliseconds of every frame of the page.
  const shadows = [...document.querySelectorAll('[data-testid="stBidiComponentIsolated"]')].map((host) => host.shadowRoot);
  const root = [document, ...shadows].map((each) => each?.querySelector("[data-step]")).find(Boolean);
  const now = () => [performance.now(), Number(root.dataset.step), Number(root.dataset.draws)];
  const before = now();
  const frames = [];
  await new Promise((resolve) => {
    let last = null;
    const look = (time) => {
      if (last !== null) frames.push(time - last);
      last = time;
      if (performance.now() - before[0] < 1000 * seconds) requestAnimationFrame(look);
      else resolve();
    };
    requestAnimationFrame(look);
  });
  const after = now();
  const passed = (after[0] - before[0]) / 1000;
  return { steps: (after[1] - before[1]) / passed, sets: (after[2] - before[2]) / passed, frames };
}
