// Fitting a Gaussian: its ellipses on the posterior, and the log evidence as the sum of two bars, ELBO and KL.

const BAR_MARGIN = { left: 46, top: 26, right: 8, bottom: 12 };
const TURNS = 90; // corners of the polygon of an ellipse

class FitShow {
  constructor(side, redraw) {
    this.verdict = make("p", { class: "verdict" });
    this.bars = make("div");
    this.facts = make("dl");
    side.append(this.verdict, this.bars, this.facts);
    this.canvas = new Canvas(this.bars, redraw, { role: "img" });
    this.perSecond = 12;
  }

  take(spec, arrays) {
    Object.assign(this, { spec, arrays });
    this.last = arrays.elbo.length - 1;
  }

  draw(ground, moment) {
    const { theme } = this.spec;
    const pen = ground.begin();
    const at = Math.min(this.last, Math.floor(moment));
    const next = Math.min(this.last, at + 1);
    const share = moment - at;
    this.ellipse(pen, ground, 0, 0, 0, [1, 2], theme.muted, 1.5, [2, 4]);
    this.trail(pen, ground, moment);
    this.ellipse(pen, ground, at, next, share, [1, 2], theme.mean, 3, []);
    if (moment >= 1) this.name(ground, "q at step 0", 0, 0, 0, -1, theme.muted);
    this.name(ground, "approximation q", at, next, share, 1, theme.mean_text);
    this.widths(pen, ground, at, next, share);
    ground.end();
    this.drawBars(at, next, share);
    this.say(at);
    const [across, up] = this.mean(at, at, 0).map((value) => short(value));
    const words = `A Gaussian on the posterior after ${at} steps, its mean at ${across}, ${up}. ${this.sentence(at)}`;
    ground.canvas.element.setAttribute("aria-label", words);
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

  /** How wide q and the posterior are along the first weight: two standard deviations on both sides of the mean. */
  widths(pen, ground, at, next, share) {
    const { theme, spread } = this.spec;
    const { factor } = this.arrays;
    const { plane } = ground;
    const std = factor[4 * at] + share * (factor[4 * next] - factor[4 * at]);
    const bar = (text, center, half, rows, color, ink) => {
      const y = plane.box.bottom - rows * theme.small_size;
      const [left, right] = [plane.toX(center - 2 * half), plane.toX(center + 2 * half)];
      pen.strokeStyle = color;
      pen.lineWidth = 5;
      line(pen, left, y, right, y);
      pen.font = `600 ${theme.small_size}px ${theme.font_family}`;
      const isFree = right + 10 + pen.measureText(text).width < plane.box.right;
      ground.write(text, isFree ? right + 8 : left - 8, y, ink, isFree ? "left" : "right");
    };
    const center = this.mean(at, next, share)[0];
    const wide = `q: ${Math.round((100 * std) / spread[1])}\u202f% as wide`;
    bar(wide, center, std, 2.2, theme.mean, theme.mean_text);
    bar("posterior", spread[0], spread[1], 0.9, theme.exact, theme.exact_text);
  }

  trail(pen, ground, moment) {
    pen.strokeStyle = this.spec.theme.mean;
    pen.lineWidth = 1.5;
    pen.beginPath();
    for (let at = 0; at <= Math.floor(moment); at += 1) pen.lineTo(...ground.at(this.mean(at, at, 0)));
    pen.stroke();
  }

  /** The ELBO as a bar from the bottom of the axis, and the divergence from there to the log evidence. */
  drawBars(at, next, share) {
    const { canvas, spec } = this;
    const { theme, evidence, floor } = spec;
    canvas.fit();
    canvas.clear(theme.paper);
    const { pen, width, height } = canvas;
    const margin = magnified(BAR_MARGIN, theme);
    const [top, bottom] = [margin.top, height - margin.bottom];
    const toY = (value) => bottom - ((value - floor) / (evidence - floor)) * (bottom - top);
    const { elbo } = this.arrays;
    const bound = elbo[at] + share * (elbo[next] - elbo[at]);
    const middle = Math.max(floor, Math.min(bound, evidence));
    const [left, right] = [margin.left, Math.min(width - margin.right, margin.left + 150)];
    pen.font = `${theme.small_size}px ${theme.font_family}`;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const value of ticks([floor, evidence], 5)) {
      pen.strokeStyle = theme.grid;
      line(pen, left, Math.round(toY(value)) + 0.5, width, Math.round(toY(value)) + 0.5);
      pen.fillStyle = theme.muted;
      pen.fillText(short(value), left - 6, toY(value));
    }
    pen.fillStyle = theme.mean;
    pen.fillRect(left, toY(middle), right - left, bottom - toY(middle));
    pen.fillStyle = theme.kl;
    pen.fillRect(left, top, right - left, toY(middle) - top);
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 2;
    line(pen, left - 4, top, right + 4, top);
    pen.fillStyle = theme.ink;
    pen.textAlign = "left";
    pen.font = `600 ${theme.small_size}px ${theme.font_family}`;
    pen.fillText(`sum: log p(D) = ${thousandths(evidence)} nats`, left - 4, 11);
    const label = (text, y, color) => {
      pen.fillStyle = color;
      pen.fillText(text, right + 8, y);
    };
    const gap = toY(middle);
    label("KL: missing", Math.max(top + 10, Math.min((top + gap) / 2, bottom - 34)), theme.kl_text);
    const below = Math.max(gap + 14, Math.min((gap + bottom) / 2, bottom - 10));
    label(bound < floor ? "ELBO ↓" : "ELBO", Math.min(below, bottom - 4), theme.mean_text);
    canvas.element.setAttribute("aria-label", this.sentence(at));
  }

  sentence(at) {
    const [elbo, reverse, sum] = this.parts(at);
    return `ELBO ${elbo} plus KL ${reverse} is the log evidence, ${sum} nats.`;
  }

  /** ELBO, divergence and their sum as texts that add up: the divergence is the rest of the rounded numbers. */
  parts(at) {
    const [sum, elbo] = [this.spec.evidence, this.arrays.elbo[at]].map((value) => Number(value.toFixed(3)));
    return [elbo, sum - elbo, sum].map(thousandths);
  }

  say(at) {
    const [elbo, reverse] = this.parts(at);
    this.verdict.textContent = "What q reaches, what is missing";
    fill(this.facts, [["ELBO: what q reaches (nats)", elbo], ["KL[q ‖ p]: what is missing (nats)", reverse]]);
  }

  remove() {
    this.canvas.remove();
  }
}

/** A number with three decimals and a real minus. */
function thousandths(value) {
  return (Math.round(1000 * value) / 1000 + 0).toFixed(3).replace("-", "−");
}

/** Rows of a list of facts. */
function fill(list, rows) {
  list.replaceChildren(...rows.flatMap(([name, value]) => [make("dt", { text: name }), make("dd", { text: value })]));
}
