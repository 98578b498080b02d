() => {
  const drag = globalThis.bdlvizDrag;
  if (drag) drag.times = [];
  const watch = (window.__drag = { shift: 0, blank: 0, isOn: true });
  const observer = new PerformanceObserver((list) => list.getEntries().forEach((entry) => { watch.shift += entry.value; }));
  observer.observe({ type: "layout-shift" });
  const frame = document.querySelector(".st-key-frame");
  let before = performance.now();
  const look = () => {
    const now = performance.now();
    const picture = frame.querySelector(".js-plotly-plot, [data-testid='stImage'] img");
    if (!picture || picture.getBoundingClientRect().height < 20) watch.blank += now - before;
    before = now;
    if (watch.isOn) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  watch.draws = () => (drag?.times ?? []).map(([begin, end]) => end - begin);
  watch.end = () => {
    watch.isOn = false;
    observer.disconnect();
    const bytes = performance.getEntriesByType("resource").filter(({ name }) => name.includes("/drag/frames/"))
      .reduce((sum, entry) => sum + entry.encodedBodySize, 0);
    return { shift: watch.shift, blank: watch.blank, bytes };
  };
}
