// Saves the figure of the preview as PNG or SVG that looks like the screen: the fonts of the page are part of the file.

const SCALE = 3; // of a PNG, for print
const FONT_MS = 150;

function load(address) {
  globalThis.bdlvizPlotly ??= new Promise((resolve, reject) => {
    const onload = () => resolve(globalThis.Plotly);
    document.head.append(Object.assign(document.createElement("script"), { src: address, onload, onerror: reject }));
  });
  return globalThis.bdlvizPlotly;
}

async function asData(url) {
  const blob = await (await fetch(url)).blob();
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.readAsDataURL(blob);
  });
}

// The @font-face rules of the page for these families, with the fonts inside.
async function fontRules(families) {
  const rules = [];
  for (const sheet of document.styleSheets) {
    let found = [];
    try { found = [...sheet.cssRules]; } catch { continue; } // a sheet of another site
    for (const rule of found.filter((each) => each instanceof CSSFontFaceRule)) {
      const family = rule.style.getPropertyValue("font-family").replaceAll(/["']/g, "");
      const [, url] = /url\(["']?([^"')]+)["']?\)/.exec(rule.style.getPropertyValue("src")) ?? [];
      if (!url || !families.has(family) || rule.style.getPropertyValue("font-style") === "italic") continue;
      const data = await asData(new URL(url, sheet.href ?? document.baseURI));
      const weight = rule.style.getPropertyValue("font-weight") || "normal";
      rules.push(`@font-face{font-family:"${family}";font-weight:${weight};src:url(${data})}`);
    }
  }
  return rules.join("");
}

async function svgOf(plot, plotly) {
  const { width, height } = plot._fullLayout;
  const family = plot._fullLayout.font.family;
  const families = new Set(family.split(",").map((each) => each.trim().replaceAll(/["']/g, "")));
  const figure = { data: plot.data, layout: { ...plot.layout, width, height } };
  const uri = await plotly.toImage(figure, { format: "svg", width, height });
  const svg = decodeURIComponent(uri.slice(uri.indexOf(",") + 1));
  const style = `<style>${await fontRules(families)}</style>`;
  return { svg: svg.replace(/(<svg[^>]*>)/, `$1${style}`), width, height };
}

async function pngOf({ svg, width, height }) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: SCALE * width, height: SCALE * height });
  const pen = canvas.getContext("2d");
  pen.scale(SCALE, SCALE);
  // The first drawing makes the browser decode the fonts inside the image; only a later one has them.
  for (let times = 0; times < 3; times += 1) {
    pen.clearRect(0, 0, width, height);
    pen.drawImage(image, 0, 0, width, height);
    await new Promise((resolve) => setTimeout(resolve, FONT_MS));
  }
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

export default function ({ data, parentElement }) {
  const words = parentElement.querySelector("output");
  const save = async (format) => {
    const plot = document.querySelector(`.st-key-${data.preview} .js-plotly-plot`);
    if (!plot?._fullLayout) return;
    words.textContent = "";
    try {
      const drawn = await svgOf(plot, await load(data.plotly));
      const file = format === "png" ? await pngOf(drawn) : new Blob([drawn.svg], { type: "image/svg+xml" });
      const link = Object.assign(document.createElement("a"), { download: `${data.name}.${format}` });
      link.href = URL.createObjectURL(file);
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    } catch {
      globalThis.bdlvizPlotly = undefined;
      words.textContent = "The picture could not be saved: the connection was lost. Try again.";
    }
  };
  for (const button of parentElement.querySelectorAll("button")) button.onclick = () => save(button.dataset.format);
}
