// What a pointer does on a canvas, mouse, pen and finger alike: hover, click, drag.

const CLICK_REACH = 5; // pixels a pointer may move between down and up and still have clicked

/**
 * Listen to a pointer. Handlers get the place in the canvas' pixels.
 * @param {HTMLElement} element
 * @param {{hover?: Function, leave?: Function, begin?: Function, drag?: Function, end?: Function, click?: Function}} on
 *   `begin(place)` decides what a drag does and returns that word; `drag` and `end` get it, with the starting place.
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
    if (!down && event.pointerType !== "touch") on.leave?.(); // what a finger has asked for stays when it is lifted
  });
}
