// Shows draws one after another: play, pause, step, speed; each is interpolated to the next.

const HOLD = 500; // milliseconds for which a draw is shown, at speed 1
const MORPH = 350; // milliseconds of the interpolation to the next draw
const SPEEDS = ["0.5", "1", "2", "4"];

class Player {
  /** @param {FunctionPicture} view @param {{isPlaying: boolean, isOn: boolean, index: number, speed: number}} memory */
  constructor(view, memory) {
    this.view = view;
    this.memory = memory;
    this.share = 0; // fraction of the interpolation to the next draw
  }

  get isOn() {
    return this.memory.isOn;
  }

  /** The curve to show, from the current draws. */
  curve({ draws, mean, numDraws }) {
    const from = this.memory.index % numDraws;
    return betweenDraws(draws, mean, from, (from + 1) % numDraws, eased(this.share));
  }

  /** The index of the draw nearest to the shown curve. */
  present(numDraws) {
    return (this.memory.index + (this.share > 0.5 ? 1 : 0)) % numDraws;
  }

  label({ numDraws }) {
    return `draw ${this.present(numDraws) + 1} of ${numDraws}`;
  }

  toggle() {
    if (this.memory.isPlaying) this.pause();
    else this.play();
  }

  play() {
    this.memory.isPlaying = this.memory.isOn = true;
    this.resume();
    this.view.refreshButtons();
  }

  /** Continue after a new mount of the view, if it was playing. */
  resume() {
    if (!this.memory.isPlaying || this.request) return;
    let last = performance.now();
    let held = 0;
    const frame = () => {
      const now = performance.now();
      const passed = (now - last) * this.memory.speed;
      last = now;
      if (held < HOLD) held += passed;
      else {
        this.share += passed / MORPH;
        if (this.share >= 1 || prefersStillness()) {
          this.next();
          held = 0;
        }
      }
      this.view.redraw();
      this.request = requestAnimationFrame(frame);
    };
    this.request = requestAnimationFrame(frame);
  }

  pause() {
    cancelAnimationFrame(this.request);
    this.request = null;
    this.memory.isPlaying = false;
    if (this.share > 0) this.finish();
    this.view.refreshButtons();
  }

  next() {
    this.memory.index += 1;
    this.share = 0;
  }

  /** Go to the next draw and stop there. */
  step() {
    if (this.memory.isPlaying) this.pause();
    if (!this.memory.isOn) {
      this.memory.isOn = true;
      this.view.redraw();
    } else this.finish();
    this.view.refreshButtons();
  }

  /** Complete the interpolation to the next draw. */
  finish() {
    if (prefersStillness()) {
      this.next();
      this.view.redraw();
      return;
    }
    const start = this.share;
    this.stopFinishing?.();
    this.stopFinishing = animate(MORPH / this.memory.speed, (share) => {
      if (share < 1) this.share = start + share * (1 - start);
      else this.next();
      this.view.redraw();
    });
  }

  /** Show all draws again. */
  off() {
    this.pause();
    this.stopFinishing?.();
    this.memory.isOn = false;
    this.share = 0;
    this.view.redraw();
    this.view.refreshButtons();
  }

  stop() {
    cancelAnimationFrame(this.request);
    this.request = null;
    this.stopFinishing?.();
  }
}
