// Keys of presenter mode, and the link to the speaker view in another window of this browser.
//
// A presentation remote sends PageDown and PageUp; outside presenter mode these keys scroll the page. Esc leaves
// presenter mode, unless it closes a menu. The speaker view asks "hello"; the answer is the current step. Its requests
// press the buttons of this window, so both windows always show the same step.

const NEXT = '.st-key-next_step button';
const PREVIOUS = '.st-key-previous_step button';
const EXIT = '.st-key-present button';
const BUTTONS = { PageDown: NEXT, PageUp: PREVIOUS, Escape: EXIT };
const REQUESTS = { next: NEXT, previous: PREVIOUS };
const OPEN_MENU = '[role="listbox"], [role="dialog"], [data-baseweb="popover"]';

// Tells this window from another one with the same lecture, also after another page has loaded this script again.
window.bdlvizWindow ??= Math.random().toString(36).slice(2);

// Streamlit mounts a component again at each run and stops only the last mount, when the component leaves the page.
let stop = null;

export default function mount({ data }) {
  stop?.();
  const press = (event) => {
    const button = document.querySelector(BUTTONS[event.key]);
    if (!button || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === 'Escape' && document.querySelector(OPEN_MENU)) return;
    event.preventDefault();
    event.stopPropagation();
    button.click();
  };
  if (data.presents) document.addEventListener('keydown', press, true);

  const channel = data.place && new BroadcastChannel('bdlviz-lecture');
  const announce = (isNew) => channel.postMessage(
    { kind: 'at', isNew, window: window.bdlvizWindow, ...data.place, asks: data.asks },
  );
  if (channel) {
    channel.onmessage = ({ data: message }) => {
      if (message.kind === 'hello') announce(false);
      if (message.kind !== 'press' || message.window !== window.bdlvizWindow) return;
      document.querySelector(REQUESTS[message.way])?.click();
    };
    announce(true);
  }
  stop = () => {
    document.removeEventListener('keydown', press, true);
    channel?.close();
  };
  return stop;
}
