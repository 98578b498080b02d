// Pointer events on a canvas for mouse, pen and touch: hover, click, drag.

const CLICK_REACH = 5; // pixels; a pointer that moved less between down and up has clicked

/**
 * Listen to a pointer. Handlers get the position in pixels of the canvas.
 * @param {HTMLElement} element
 * @param {{hover?: Function, leave?: Function, begin?: Function, drag?: Function, end?: Function, click?: Function}} on
 *   `begin(place)` returns the name of the drag; `drag` and `end` get this name and the starting position.
 */
function listenToPointer(element, on) {
  let down = null;
  const place = (event) => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top, touch: event.pointerType === "touch" };
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const at = place(event);
    down = { at, id: event.pointerId, moved: false, what: on.begin?.(at) };
    element.setPointerCapture(event.pointerId);
    if (at.touch) on.hover?.(at);
  });
  element.addEventListener("pointermove", (event) => {
    const at = place(event);
    if (down?.id === event.pointerId) {
      down.moved ||= Math.hypot(at.x - down.at.x, at.y - down.at.y) > CLICK_REACH;
      if (down.moved) on.drag?.(at, down.at, down.what);
    }
    on.hover?.(at);
  });
  element.addEventListener("pointerup", (event) => {
    if (down?.id !== event.pointerId) return;
    const [at, { at: from, moved, what }] = [place(event), down];
    down = null;
    if (moved) on.end?.(at, from, what);
    else on.click?.(at, what);
  });
  element.addEventListener("pointercancel", (event) => {
    if (down?.id !== event.pointerId) return;
    const { at, what } = down;
    down = null;
    on.end?.(null, at, what);
  });
  element.addEventListener("pointerleave", (event) => {
    if (!down && event.pointerType !== "touch") on.leave?.(); // the information under a finger stays when it is lifted
  });
}
