// Fitting a Gaussian: its ellipses on the posterior; beside it a Markov chain, and how wide both are after every step.

const TURNS = 90; // corners of the polygon of an ellipse

class FitShow {
  constructor(side, redraw) {
    this.beside = new Ground(side, redraw);
    this.walkers = new Walkers();
    this.perSecond = 12;
  }

  take(spec, arrays, ground) {
    Object.assign(this, { spec, arrays });
    this.walkers.take(spec, arrays);
    this.beside.take(spec, ground, spec.titles[1]);
    this.last = this.walkers.last;
  }

  draw(ground, moment) {
    const { beside, spec: { theme } } = this;
    const at = Math.min(this.last, Math.floor(moment));
    const next = Math.min(this.last, at + 1);
    const share = moment - at;
    const pen = ground.begin();
    this.ellipse(pen, ground, 0, 0, 0, [1, 2], theme.muted, 1.5, [2, 4]);
    this.trail(pen, ground, moment);
    this.ellipse(pen, ground, at, next, share, [1, 2], theme.mean, 3, []);
    if (moment >= 1) this.name(ground, "q at step 0", 0, 0, 0, -1, theme.muted);
    this.name(ground, "Gaussian q", at, next, share, 1, theme.mean_text);
    this.widths(pen, ground, "q", at, next, share);
    ground.end();
    ground.canvas.element.setAttribute("aria-label", this.spoken(at));
    this.walkers.draw(beside.begin(), beside, moment);
    this.widths(beside.canvas.pen, beside, "chain", at, next, share);
    beside.end();
    tellPage(this.spoken(at));
    beside.canvas.element.setAttribute("aria-label", this.spoken(at));
  }

  /** Mean and sd of the first weight after a step, of q or of all places of the chain so far. */
  spread(name, at) {
    const { mean, factor, chain_mean: chainMean, chain_std: chainStd } = this.arrays;
    return name === "q" ? [mean[2 * at], factor[4 * at]] : [chainMean[at], chainStd[at]];
  }

  /** How wide that is as a share of the posterior, in words. */
  share(name, at) {
    return `${Math.round((100 * this.spread(name, at)[1]) / this.spec.spread[1])}\u202f%`;
  }

  spoken(at) {
    return this.spec.told[at];
  }

  mean(at, next, share) {
    const { mean } = this.arrays;
    return [0, 1].map((axis) => mean[2 * at + axis] + share * (mean[2 * next + axis] - mean[2 * at + axis]));
  }

  ellipse(pen, ground, at, next, share, radii, color, width, dash) {
    const { factor } = this.arrays;
    const center = this.mean(at, next, share);
    const entry = (index) => factor[4 * at + index] + share * (factor[4 * next + index] - factor[4 * at + index]);
    const [a, c, d] = [entry(0), entry(2), entry(3)];
    const outline = (radius) => {
      pen.beginPath();
      for (let turn = 0; turn <= TURNS; turn += 1) {
        const angle = (2 * Math.PI * turn) / TURNS;
        const [x, y] = [radius * Math.cos(angle), radius * Math.sin(angle)];
        pen.lineTo(...ground.at([center[0] + a * x, center[1] + c * x + d * y]));
      }
    };
    for (const radius of radii) {
      for (const [ink, wide] of dash.length ? [[color, width]] : [[this.spec.theme.paper, width + 3], [color, width]]) {
        pen.setLineDash(dash);
        pen.strokeStyle = ink;
        pen.lineWidth = wide;
        outline(radius);
        pen.stroke();
      }
    }
    pen.setLineDash([]);
  }

  /** A name above (`side` 1) or below (-1) the outer ellipse of a step. */
  name(ground, text, at, next, share, side, color) {
    const { factor } = this.arrays;
    const center = this.mean(at, next, share);
    const entry = (index) => factor[4 * at + index] + share * (factor[4 * next + index] - factor[4 * at + index]);
    const [x, y] = ground.at([center[0], center[1] + side * 2 * Math.hypot(entry(2), entry(3))]);
    ground.write(text, x, y - side * 10, color, "center");
  }

  /** Two standard deviations of the first weight on both sides of the mean, of the posterior and above it of `name`. */
  widths(pen, ground, name, at, next, share) {
    const { theme, spread } = this.spec;
    const { box } = ground.plane;
    const between = this.spread(name, at).map((value, i) => value + share * (this.spread(name, next)[i] - value));
    const [color, ink] = name === "q" ? [theme.mean, theme.mean_text] : [theme.classes[0], theme.chain_text];
    pen.lineWidth = 5;
    for (const [[center, std], rows, look] of [[spread, 0.8, theme.exact], [between, 1.5, color]]) {
      const y = box.bottom - rows * theme.small_size;
      pen.strokeStyle = look;
      line(pen, ...[-2, 2].map((times) => [ground.plane.toX(center + times * std), y]).flat());
    }
    const text = `${name}: ${this.share(name, at)} as wide as the posterior (pink bar)`;
    ground.write(text, (box.left + box.right) / 2, box.bottom - 2.7 * theme.small_size, ink, "center");
  }

  trail(pen, ground, moment) {
    pen.strokeStyle = this.spec.theme.mean;
    pen.lineWidth = 1.5;
    pen.beginPath();
    for (let at = 0; at <= Math.floor(moment); at += 1) pen.lineTo(...ground.at(this.mean(at, at, 0)));
    pen.stroke();
  }

  remove() {
    this.beside.remove();
  }
}
