// Markov chains: their past states, their proposals and their convergence diagnostics.

const TRAIL = 24; // last steps of each chain that are joined by a line

/** Chains as they walk: their past states, and the way to the next ones. */
class Walkers {
  take(spec, arrays) {
    Object.assign(this, { spec, arrays, chains: spec.chains, corners: spec.corners });
    this.last = arrays.accepted.length / this.chains;
  }

  place(step, chain) {
    const start = 2 * (step * this.chains + chain);
    return [this.arrays.places[start], this.arrays.places[start + 1]];
  }

  color(chain) {
    return this.spec.theme.classes[chain % this.spec.theme.classes.length];
  }

  draw(pen, ground, moment) {
    const at = Math.min(this.last, Math.floor(moment));
    this.dots(pen, ground, at);
    for (let chain = 0; chain < this.chains; chain += 1) this.trail(pen, ground, at, chain);
    for (let chain = 0; chain < this.chains; chain += 1) this.head(pen, ground, at, moment - at, chain);
  }

  /** All past states of the chains. */
  dots(pen, ground, at) {
    pen.globalAlpha = 0.5;
    for (let chain = 0; chain < this.chains; chain += 1) {
      pen.fillStyle = this.color(chain);
      for (let step = 0; step <= at; step += 1) {
        const [x, y] = ground.at(this.place(step, chain));
        pen.fillRect(x - 1.75, y - 1.75, 3.5, 3.5);
      }
    }
    pen.globalAlpha = 1;
  }

  trail(pen, ground, at, chain) {
    pen.strokeStyle = this.color(chain);
    for (let step = Math.max(1, at - TRAIL); step <= at; step += 1) {
      pen.globalAlpha = 0.75 * (1 - (at - step) / (TRAIL + 1));
      pen.lineWidth = 1.5;
      line(pen, ...ground.at(this.place(step - 1, chain)), ...ground.at(this.place(step, chain)));
    }
    pen.globalAlpha = 1;
  }

  /** The number of a chain if there are several, and its last trajectory: to its state, or on the way to the next one. A rejected proposal
   * ends in a cross. */
  head(pen, ground, step, part, chain) {
    const { theme } = this.spec;
    let place = this.place(step, chain);
    const [at, share] = part > 0 && step < this.last ? [step, part] : [step - 1, 1];
    if (at >= 0) {
      const corners = Array.from({ length: this.corners }, (_, corner) => {
        const start = 2 * ((at * this.chains + chain) * this.corners + corner);
        return [this.arrays.paths[start], this.arrays.paths[start + 1]];
      });
      const reach = share * (this.corners - 1);
      const whole = Math.min(Math.floor(reach), this.corners - 2);
      const rest = reach - whole;
      const end = [0, 1].map((axis) => corners[whole][axis] + rest * (corners[whole + 1][axis] - corners[whole][axis]));
      pen.strokeStyle = this.color(chain);
      pen.lineWidth = 2;
      pen.beginPath();
      for (const corner of corners.slice(0, whole + 1)) pen.lineTo(...ground.at(corner));
      pen.lineTo(...ground.at(end));
      pen.stroke();
      if (this.arrays.accepted[at * this.chains + chain]) place = end;
      else this.cross(pen, ground.at(end), theme.warning);
    }
    const [x, y] = ground.at(place);
    if (!Number.isFinite(x)) return;
    pen.beginPath();
    pen.arc(x, y, 9, 0, 2 * Math.PI);
    pen.fillStyle = this.color(chain);
    pen.fill();
    pen.strokeStyle = theme.paper;
    pen.lineWidth = 2;
    pen.stroke();
    if (this.chains === 1) return;
    pen.fillStyle = theme.paper;
    pen.font = `700 12px ${theme.font_family}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(String(chain + 1), x, y + 0.5);
  }

  cross(pen, [x, y], color) {
    pen.strokeStyle = color;
    pen.lineWidth = 2.5;
    line(pen, x - 5, y - 5, x + 5, y + 5);
    line(pen, x - 5, y + 5, x + 5, y - 5);
  }
}

/** Several chains, and what can be said of them so far. */
class ChainShow {
  constructor(side) {
    this.verdict = make("p", { class: "verdict" });
    this.facts = make("dl");
    this.key = make("p", { class: "key" });
    side.append(this.verdict, this.facts, this.key);
    this.walkers = new Walkers();
    this.perSecond = 5;
  }

  take(spec, arrays) {
    Object.assign(this, { spec, arrays, chains: spec.chains });
    this.walkers.take(spec, arrays);
    this.last = this.walkers.last;
    const refusals = spec.adjusted ? "×: a rejected proposal." : "No proposal is rejected.";
    this.key.textContent = `Numbers: current states of the ${this.chains} chains. Dots: past states. ${refusals}`;
  }

  draw(ground, moment) {
    const at = Math.min(this.last, Math.floor(moment));
    this.walkers.draw(ground.begin(), ground, moment);
    ground.end();
    this.say(at);
    const words = `${this.chains} chains on the posterior after ${at} steps. ${this.verdict.textContent}`;
    ground.canvas.element.setAttribute("aria-label", words);
  }

  spoken() {
    return [...this.facts.children].map((each) => each.textContent).join(" ");
  }

  say(at) {
    const { r_hat: rHat, ess, acceptance, verdict } = this.arrays;
    const { converged, adjusted, evaluations, verdicts } = this.spec;
    const isJudged = verdict[at] > 0;
    const places = Array.from({ length: this.chains }, (_, chain) => this.walkers.place(at, chain));
    const away = places.filter(([x]) => !Number.isFinite(x)).length;
    this.verdict.classList.toggle("bad", away > 0 || (isJudged && verdict[at] < verdicts.length - 1));
    const hasRunAway = `NOT CONVERGED: ${away} of ${this.chains} chains ran away`;
    this.verdict.textContent = away ? hasRunAway : verdicts[verdict[at]];
    const r = Number.isFinite(rHat[at]) ? rHat[at].toFixed(rHat[at] < 10 ? 3 : 0) : "∞";
    fill(this.facts, [
      [`R-hat (target: below ${converged})`, isJudged ? r : "–"],
      [`ESS of the ${this.chains * (at - Math.floor(at / 2))} kept draws`, isJudged ? String(Math.round(ess[at])) : "–"],
      ["Accepted proposals", adjusted ? `${Math.round(100 * acceptance[at])} %` : "always"],
      ["Evaluations per chain", (at * evaluations).toLocaleString("en")],
    ]);
  }

  remove() {}
}

/** Rows of a list of facts. */
function fill(list, rows) {
  list.replaceChildren(...rows.flatMap(([name, value]) => [make("dt", { text: name }), make("dd", { text: value })]));
}
