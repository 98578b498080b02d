// Tasks with a check. `check` gets the board, and a note made when the card was chosen; it returns a sentence.

const CERTAIN_SDS = 3;
const CHALLENGES = [
  {
    title: "Make MC dropout certain and wrong",
    task: "regression",
    asks: "Choose MC dropout. Place points so that one of them lies more than 3 total standard deviations from the mean.",
    note: () => null,
    check: ({ state, sides: [side] }) => {
      if (state.method !== "mc_dropout") return "Choose MC dropout first.";
      if (!state.points.length || !side.now) return "There is no point yet.";
      const gaps = state.points.map(([x, y]) => Math.abs(y - side.now.meanAt(x)) / side.now.totalAt(x));
      const largest = Math.max(...gaps);
      const found = `The largest distance is ${short(largest)} standard deviations.`;
      return largest > CERTAIN_SDS ? `Done. ${found}` : `Not yet. ${found}`;
    },
  },
  {
    title: "Halve the epistemic sd with one point",
    task: "regression",
    asks: "Add one point so that the mean epistemic sd over the picture is at most half as large.",
    note: ({ state, sides: [side] }) => ({ size: side.now ? average(Array.from(side.now.epistemic)) : 0, count: state.points.length }),
    check: ({ state, sides: [side] }, { size, count }) => {
      if (state.points.length !== count + 1) return `Add exactly one point: there were ${count}.`;
      const now = average(Array.from(side.now.epistemic));
      const found = `The mean epistemic sd went from ${short(size)} to ${short(now)}.`;
      return now <= size / 2 ? `Done. ${found}` : `Not yet. ${found}`;
    },
  },
  {
    title: "Certain far from all data",
    task: "classification",
    asks: "Choose a method whose prediction in all four corners has a class probability of at least 0.95.",
    note: () => null,
    check: ({ sides: [side] }) => {
      const K = side.set?.num_outputs ?? 0;
      if (!K || !side.now) return "There is no prediction yet.";
      const corners = [0, SIDE - 1, SIDE * (SIDE - 1), SIDE * SIDE - 1];
      const certain = corners.map((q) => Math.max(...side.now.mean.subarray(q * K, (q + 1) * K)));
      const found = `The smallest of the four is ${short(Math.min(...certain))}.`;
      return Math.min(...certain) >= 0.95 ? `Done. ${found} No point is there.` : `Not yet. ${found}`;
    },
  },
];
