// Adam (Kingma & Ba 2015, algorithm 1) with beta1 = .9, beta2 = .999 and epsilon = 1e-8, equal to torch.optim.Adam.

const BETA1 = 0.9;
const BETA2 = 0.999;

export class Adam {
  constructor(length) {
    this.mean = new Float32Array(length);
    this.square = new Float32Array(length);
    this.count = 0;
  }

  // Changes `params`. The gradient is in the arrays `room` of a workspace, see `adamRoom`.
  step(params, room, learningRate) {
    this.count += 1;
    const size = learningRate / (1 - BETA1 ** this.count);
    const root = 1 / Math.sqrt(1 - BETA2 ** this.count);
    room.params.set(params);
    room.mean.set(this.mean);
    room.square.set(this.square);
    room.workspace.adam(room, size, root);
    params.set(room.params);
    this.mean.set(room.mean);
    this.square.set(room.square);
  }
}

// Arrays of a workspace for a step with this many parameters: four times as many numbers.
export function adamRoom(workspace, length) {
  const array = () => workspace.array(length);
  return { workspace, params: array(), gradient: array(), mean: array(), square: array() };
}
