() => {
  const isSeen = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  };
  const main = document.querySelector('[data-testid="stMain"]');
  const frame = document.querySelector(".st-key-frame");
  const within = (root, selector) => [...(root?.querySelectorAll(selector) ?? [])];
  const shadows = (root) => within(root, '[data-testid="stBidiComponentIsolated"]').map((host) => host.shadowRoot).filter(Boolean);
  const candidates = [
    ...within(frame, ".js-plotly-plot, [data-testid='stImage'] img, [data-testid='stDataFrame'], table"),
    ...shadows(frame).flatMap((root) => [...root.querySelectorAll("canvas")]),
  ].filter(isSeen);
  const boxes = candidates.map((element) => element.getBoundingClientRect()).filter((box) => box.height > 60);
  boxes.sort((a, b) => a.top - b.top);
  const controls = [
    ...within(document, ".st-key-live"),
    ...shadows(frame).flatMap((root) => [...root.querySelectorAll(".sliders")]),
  ].filter(isSeen).map((element) => element.getBoundingClientRect());
  const top = boxes.length ? boxes[0].top : 0;
  const first = boxes.filter((box) => box.top < top + 40);
  const fixed = [...document.querySelectorAll(".st-key-lecture, .st-key-live")]
    .filter((element) => isSeen(element) && getComputedStyle(element).position === "fixed")
    .map((element) => element.getBoundingClientRect().top);
  const end = Math.min(innerHeight, ...fixed.filter((each) => each > innerHeight / 2));
  const pictures = Math.max(0, ...first.map((box) => box.bottom));
  const bottom = Math.max(pictures, ...controls.filter((box) => box.bottom <= innerHeight + 1000).map((box) => box.bottom));
  const controlsInside = controls.every((box) => box.bottom <= innerHeight + 1);

  const isDocked = (element) => Boolean(element) && (getComputedStyle(element).position === "fixed" || isDocked(element.parentElement));
  const leaves = within(main, '[data-testid="stElementContainer"]').filter((element) => isSeen(element)
    && !element.querySelector('[data-testid="stElementContainer"]')
    && !["fixed", "absolute"].includes(getComputedStyle(element).position)
    && !element.closest(".st-key-lecture, .st-key-drag, [data-testid='stPopoverBody']")
    && !isDocked(element));
  const rects = leaves.map((element) => element.getBoundingClientRect());
  let overlapping = 0;
  rects.forEach((a, i) => rects.slice(i + 1).forEach((b) => {
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (wide > 6 && high > 8) overlapping += 1;
  }));
  const cut = within(main, "button p, label p, h3, [data-testid='stMetricValue'], [data-testid='stMetricLabel']")
    .filter((element) => isSeen(element) && element.scrollWidth > element.clientWidth + 2
      && ["hidden", "clip"].includes(getComputedStyle(element).overflowX)).length
    + Number(main.scrollWidth > main.clientWidth + 1);

  const skipped = "header, button, label, svg, canvas, select, input, script, style, table, .js-plotly-plot, [role='slider'],"
    + " [role='tab'], [data-testid='stSlider'], [data-testid='stWidgetLabel'], [data-testid='stDataFrame'], [data-testid='stSelectbox'], .st-key-lecture";
  const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  let words = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (parent.closest(skipped) || !isSeen(parent)) continue;
    if (parent.getBoundingClientRect().top >= innerHeight) continue;
    words += node.nodeValue.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length;
  }
  const sentence = document.querySelector(".st-key-says p");
  const channels = (color) => color.match(/[\d.]+/g).slice(0, 3).map(Number);
  const luminance = (color) => channels(color)
    .map((each) => each / 255)
    .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
    .reduce((sum, each, place) => sum + [0.2126, 0.7152, 0.0722][place] * each, 0);
  const ground = getComputedStyle(document.querySelector('[data-testid="stApp"]')).backgroundColor;
  const shades = sentence ? [getComputedStyle(sentence).color, ground].map(luminance).sort((a, b) => b - a) : [0, 0];
  const rows = within(frame, ".js-plotly-plot .legend").map((legend) => new Set(
    [...legend.querySelectorAll(".traces")].map((each) => Math.round((each.transform.baseVal[0]?.matrix.f ?? 0) / 4)),
  ).size);
  return {
    sentence: sentence ? Math.round(parseFloat(getComputedStyle(sentence).fontSize)) : 0,
    contrast: Number(((shades[0] + 0.05) / (shades[1] + 0.05)).toFixed(1)),
    legend_rows: Math.max(0, ...rows),
    top: Math.round(top), bottom: Math.round(bottom), is_inside: pictures <= end + 1 && controlsInside,
    cut, overlapping,
    scenes: within(document, ".st-key-scenes [class*='st-key-scene_']").filter(isSeen).length,
    tabs: within(document, ".st-key-below > div > [data-testid='stTabs'] [role='tab'], .st-key-below [data-testid='stTabs'] > div [role='tab']").filter(isSeen).length,
    words,
  };
}
