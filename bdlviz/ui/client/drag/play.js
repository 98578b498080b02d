// Plays a slider of time: a button beside it, and once by itself where its page opens at the beginning.

const STORY = 5000, QUICKEST = 120, SLOWEST = 700; // milliseconds: of all stops, and of one stop at least and at most
const LONGEST = 8000, SOON = 100; // milliseconds that a frame is waited for, and until another look at the slider

class Player {
  constructor(slider, begin, rest) {
    Object.assign(this, { slider, begin, rest }); // `begin` fetches the frames, `rest` shows the page's own picture
    this.timer = 0;
    this.button = Object.assign(document.createElement("button"), { type: "button", className: "drag-play" });
    this.button.onclick = () => (this.timer ? this.pause() : this.play());
    slider.element.append(this.button);
    this.label();
  }

  label() {
    this.button.textContent = this.timer ? "Pause" : "Play";
  }

  get last() {
    return Number(this.slider.input.max);
  }

  // Where the page opens at the beginning of the story. `met` are the sliders that have played or have been moved.
  playOnce(met, isStill) {
    const { key, index } = this.slider;
    if (isStill || index > 0) met.add(key);
    if (met.has(key) || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.begin().then(() => {
      if (met.has(key) || !this.slider.element || document.hidden) return;
      if (!this.slider.input) { // on a first visit the code of the slider may come later than the frames
        setTimeout(() => this.playOnce(met, isStill), SOON);
        return;
      }
      met.add(key);
      this.play();
    });
  }

  play() {
    this.begin();
    if (this.slider.position === this.last) this.slider.move(0);
    const pace = Math.min(Math.max(STORY / this.last, QUICKEST), SLOWEST);
    this.patience = LONGEST / pace;
    this.slider.isPlayed = true;
    this.timer = setInterval(() => this.step(), pace);
    this.label();
  }

  step() {
    if (!this.slider.input) return; // it is being drawn again
    const next = this.slider.position + 1;
    if (next <= this.last && !this.slider.frames.at(next) && this.patience-- > 0) return;
    if (next <= this.last && this.patience > 0) this.slider.move(next);
    if (next >= this.last || this.patience <= 0) this.pause();
  }

  // The page follows: a key of the keyboard ends a movement of the slider, as a release of the mouse does.
  pause() {
    this.end();
    this.label();
    const { position, input, index } = this.slider;
    if (position === index) {
      this.rest();
      return;
    }
    const isForward = position > 0;
    this.slider.move(isForward ? position - 1 : 1);
    const key = isForward ? "ArrowRight" : "ArrowLeft";
    for (const name of ["keydown", "keyup"]) input.dispatchEvent(new KeyboardEvent(name, { key, bubbles: true }));
  }

  end() {
    clearInterval(this.timer);
    this.timer = 0;
    this.slider.isPlayed = false;
  }

  remove() {
    this.end();
    this.button.remove();
  }
}
