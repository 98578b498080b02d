// Points under mouse, pen, finger and keyboard: add, move, remove.

const REACH_OF_POINT = { mouse: 10, touch: 22 }; // pixels around a point that belong to it
const LONG_PRESS_MS = 600;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** Index of the point at a position on the canvas of a side, or -1. */
function pointAt({ plane, board }, { x, y, touch }) {
  const reach = touch ? REACH_OF_POINT.touch : REACH_OF_POINT.mouse;
  const gaps = board.state.points.map(([px, py]) => Math.hypot(plane.toX(px) - x, plane.toY(py) - y));
  const nearest = gaps.indexOf(Math.min(...gaps));
  return gaps[nearest] <= reach ? nearest : -1;
}

/** A coordinate with the digits that its axis needs, as it stands in a link. */
function placed(value, range) {
  return rounded(value, range) + 0; // no −0
}

/** Data coordinates of a position on the canvas, inside the axes. */
function dataAt({ plane }, { x, y }) {
  const within = (value, [low, high]) => placed(Math.min(high, Math.max(low, value)), [low, high]);
  return [within(plane.fromX(x), plane.home.x), within(plane.fromY(y), plane.home.y)];
}

function listenToPoints(side) {
  const { board } = side;
  const { element } = side.canvas;
  let press = 0;
  let wasRemoved = false;
  const place = (event) => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top, touch: true };
  };
  listenToPointer(element, {
    hover: (at) => {
      element.style.cursor = pointAt(side, at) >= 0 ? "grab" : "crosshair";
    },
    begin: (at) => {
      const index = pointAt(side, at);
      wasRemoved = false;
      if (index < 0) return -1;
      board.choose(index);
      if (at.touch) press = setTimeout(() => { wasRemoved = true; board.removePoint(index); }, LONG_PRESS_MS);
      return index;
    },
    drag: (at, from, index) => {
      clearTimeout(press);
      if (index >= 0 && !wasRemoved) board.movePoint(index, dataAt(side, at));
    },
    end: (at, from, index) => {
      clearTimeout(press);
      if (index >= 0 && !wasRemoved) board.endMove(index);
    },
    click: (at, index) => {
      clearTimeout(press);
      if (wasRemoved || index >= 0) return;
      if (side.plane.contains(at.x, at.y)) board.addPoint(dataAt(side, at));
    },
  });
  element.addEventListener("contextmenu", (event) => {
    const index = pointAt(side, { ...place(event), touch: false });
    event.preventDefault();
    if (index >= 0) board.removePoint(index);
  });
  // A finger on a point drags it; elsewhere it scrolls the page.
  element.addEventListener("touchstart", (event) => {
    if (event.touches.length === 1 && pointAt(side, place(event.touches[0])) >= 0) event.preventDefault();
  }, { passive: false });
  element.addEventListener("keydown", (event) => pressKey(side, event));
}

/** Arrow keys move the chosen point, Page Up and Page Down choose one, Enter adds one, Delete removes it. */
function pressKey({ board, plane }, event) {
  const { points } = board.state;
  const has = board.chosen >= 0 && board.chosen < points.length;
  if ((event.ctrlKey || event.metaKey) && event.key === "z") board.undo();
  else if (event.ctrlKey || event.metaKey || event.altKey) return;
  else if (event.key in ARROWS && has) {
    const share = event.shiftKey ? 0.1 : 0.02;
    const moved = points[board.chosen].slice(0, 2).map((value, axis) => {
      const [low, high] = axis ? plane.home.y : plane.home.x;
      return placed(Math.min(high, Math.max(low, value + share * (high - low) * ARROWS[event.key][axis])), [low, high]);
    });
    board.movePoint(board.chosen, moved);
    board.endMove(board.chosen);
  } else if ((event.key === "PageDown" || event.key === "PageUp") && points.length) {
    board.choose((board.chosen + (event.key === "PageDown" ? 1 : points.length - 1) + points.length) % points.length);
  } else if (event.key === "Enter") {
    board.addPoint([plane.home.x, plane.home.y].map(([low, high]) => placed((low + high) / 2, [low, high])));
    board.choose(points.length - 1);
  } else if ((event.key === "Delete" || event.key === "Backspace") && has) board.removePoint(board.chosen);
  else if (event.key === " ") board.toggle();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
