// What opens under the tools: code, exports, challenges. One at a time.

const DRAWERS = {
  Code: (board, place) => {
    const code = make("pre", { tabindex: "0", "aria-label": "Python code" });
    const write = () => { code.textContent = pythonOf(board.state, board.steps); };
    write();
    place.append(make("p", { class: "words", text: "Python that trains this setting with the library, for as many steps as were taken here:" }),
      code, button("Copy", () => { write(); navigator.clipboard?.writeText(code.textContent); }));
    return write;
  },
  Table: (board, place) => {
    const text = make("textarea", { rows: "8", spellcheck: "false", "aria-label": "Table of points" });
    text.value = tableOf(board.state.points, board.state.task);
    const problem = make("p", { class: "words", role: "status" });
    const open = () => {
      const { points, problem: found = "" } = pointsOfTable(text.value, board.state.task, board.most);
      problem.textContent = found;
      if (points) board.setTable(points, axesAround(points, board.state.task));
    };
    const read = async ({ target: { files: [file] } }) => {
      if (!file) return;
      text.value = file.size > MOST_CHARACTERS ? "" : await file.text();
      if (text.value) open();
      else problem.textContent = `${file.name} is empty or too large: choose a file of at most ${MOST_CHARACTERS / 1000} kB.`;
    };
    const what = board.state.task === "regression" ? "x and y" : "x₁, x₂ and the number of the class, from 1";
    place.append(make("p", { class: "words", text: `A line for each point: ${what}. Paste a table, or choose a file.` }), text,
      button("Use this table", open), make("input", { type: "file", accept: ".csv,.tsv,.txt", "aria-label": "File with a table", on: { change: read } }),
      problem);
    return () => {};
  },
  Export: (board, place) => {
    place.append(button("Picture (PNG)", () => savePicture(board)), button("Numbers (CSV)", () => saveNumbers(board)));
    if (board.sources) {
      place.append(button("Page that trains offline (HTML)", () => saveHtml(board)));
    }
    return () => {};
  },
  Challenges: (board, place) => {
    const asks = make("p", { class: "words" });
    const verdict = make("p", { class: "words", role: "status" });
    const cards = CHALLENGES.filter(({ task }) => task === board.state.task);
    let [chosen] = cards;
    let note = chosen.note(board);
    const show = () => {
      asks.textContent = chosen.asks;
      verdict.textContent = "";
    };
    const names = Object.fromEntries(cards.map(({ title }, index) => [index, title]));
    place.append(menu("Challenge", names, "0", (index) => { chosen = cards[index]; note = chosen.note(board); show(); }),
      asks, button("Check", () => { verdict.textContent = chosen.check(board, note); }), verdict);
    show();
    return () => {};
  },
};

function save(blob, name) {
  const url = URL.createObjectURL(blob);
  const anchor = make("a", { href: url, download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function savePicture({ sides }) {
  const elements = sides.map(({ canvas }) => canvas.element);
  const picture = make("canvas");
  picture.width = elements.reduce((sum, { width }) => sum + width, 0);
  picture.height = elements[0].height;
  let left = 0;
  for (const element of elements) {
    picture.getContext("2d").drawImage(element, left, 0);
    left += element.width;
  }
  picture.toBlob((blob) => save(blob, "playground.png"));
}

function saveNumbers({ sides: [side] }) {
  if (!side.now) return;
  const rows = side.picture.rows(side.set, side.now);
  const text = rows.map((row) => row.map((v) => (typeof v === "number" ? Number(v.toPrecision(6)) : v)).join(",")).join("\n");
  save(new Blob([`${text}\n`], { type: "text/csv" }), "playground.csv");
}

function saveHtml(board) {
  save(new Blob([offlinePage(board.sources, encodeState(board.state), board.theme)], { type: "text/html" }), "playground.html");
}

/** One file in which the network trains without a connection. */
function offlinePage(sources, link, theme) {
  const literal = (value) => JSON.stringify(value).replaceAll("<", "\\u003c");
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Playground: networks that state their uncertainty</title>
<style>body { margin: 16px; font-family: system-ui, sans-serif; background: ${theme.paper}; --room: calc(100vh - 130px); }
${sources.css.replaceAll("</", "<\\/")}</style></head>
<body><main class="place"></main><script type="module">
const SOURCES = ${literal(sources)};
const THEME = ${literal(theme)};
const urlOf = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
const engine = urlOf(SOURCES.engine);
const [live, view] = await Promise.all([import(engine), import(urlOf(SOURCES.view))]);
const board = new view.Board(document.querySelector(".place"), live, engine, SOURCES, ${literal(link)});
board.take({ theme: THEME });
</script></body></html>
`;
}
