// The speaker view: it shows the step that the lecture window announces, and sends requests to that window.

const ASK_EVERY = 1000; // milliseconds between two questions to the lecture window
const PATIENCE = 5000; // milliseconds without an answer after which the lecture window counts as closed
const STARTED = 'bdlviz-speaker-started';
const KEYS = { n: 'next', N: 'next', PageDown: 'next', ArrowRight: 'next' };
Object.assign(KEYS, { p: 'previous', P: 'previous', PageUp: 'previous', ArrowLeft: 'previous' });

const { lecture } = document.body.dataset;
const steps = [...document.querySelectorAll('main section')];
const channel = new BroadcastChannel('bdlviz-lecture');
const find = (id) => document.getElementById(id);
let step = 1;
let asks = false;
let partner = null; // the lecture window
let heard = -Infinity; // when it last answered
const opened = performance.now();

function show() {
  steps.forEach((section, index) => { section.hidden = index !== step - 1; });
  const { begin, end } = steps[step - 1].dataset;
  find('number').textContent = step;
  find('planned').textContent = `${begin} to ${end} min`;
  find('coming').textContent = steps[step]?.dataset.title ?? 'none, this is the last one';
  find('next').textContent = asks ? 'Answer' : 'Next';
  find('next').disabled = step === steps.length && !asks;
  find('previous').disabled = step === 1;
}

function tick() {
  channel.postMessage({ kind: 'hello' });
  const now = performance.now();
  const isLost = now - Math.max(heard, opened) > PATIENCE;
  if (isLost) [partner, asks] = [null, false];
  if (isLost && find('lost').hidden) show();
  find('lost').hidden = !isLost;
  const seconds = Math.max(0, Math.floor((Date.now() - Number(sessionStorage.getItem(STARTED))) / 1000));
  const elapsed = find('elapsed');
  elapsed.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  elapsed.parentElement.classList.toggle('late', seconds > 60 * Number(steps[step - 1].dataset.end));
}

function restart() {
  sessionStorage.setItem(STARTED, String(Date.now()));
  tick();
}

function go(way) {
  if (partner) {
    channel.postMessage({ kind: 'press', window: partner, way });
    return;
  }
  step = Math.min(Math.max(step + (way === 'next' ? 1 : -1), 1), steps.length);
  show();
}

// Of several lecture windows, the one that was last moved is the partner.
channel.onmessage = ({ data }) => {
  const isFree = !partner || performance.now() - heard > PATIENCE;
  if (data.kind !== 'at' || !(isFree || data.isNew || data.window === partner)) return;
  if (data.lecture !== lecture) {
    location.search = new URLSearchParams({ lecture: data.lecture });
    return;
  }
  const isMoved = data.step !== step;
  const isChanged = isMoved || data.asks !== asks;
  [partner, heard, step, asks] = [data.window, performance.now(), data.step, data.asks];
  if (isChanged) show();
  if (isMoved) document.querySelector('main').scrollTop = 0;
  find('lost').hidden = true;
};
find('next').addEventListener('click', () => go('next'));
find('previous').addEventListener('click', () => go('previous'));
find('restart').addEventListener('click', restart);
addEventListener('keydown', (event) => {
  const way = KEYS[event.key];
  if (!way || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  if (!find(way).disabled) go(way);
});

show();
if (!sessionStorage.getItem(STARTED)) restart();
tick();
setInterval(tick, ASK_EVERY);
