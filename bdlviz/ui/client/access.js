// Keyboard access that Streamlit does not offer: a link to the picture, and scrolling of formulas by arrow keys.

const PICTURE = ':is(.st-key-frame, .st-key-frame > [data-testid="stLayoutWrapper"])'
  + ' > [data-testid="stHorizontalBlock"] > [data-testid="stColumn"]:last-child';
const WIDE = ".katex-display, .wide-table, [data-testid='stCode'] pre";
const PAUSE = 150; // milliseconds without a change before the page is measured again, since measuring is slow

// Streamlit mounts a component again at each run and stops only the last mount, when the component leaves the page.
let stop = null;

export default function mount({ parentElement }) {
  stop?.();
  const link = parentElement.querySelector(".skip-to-picture");
  const skip = (event) => {
    event.preventDefault(); // #... in the address would add an entry to the history for Back
    const picture = document.querySelector(PICTURE);
    picture.tabIndex = -1;
    picture.focus();
    picture.scrollIntoView({ block: "nearest" });
  };
  link.addEventListener("click", skip);

  let timer = null;
  const look = () => {
    timer = null;
    link.hidden = !document.querySelector(PICTURE);
    for (const element of document.querySelectorAll(WIDE)) {
      const isWide = element.scrollWidth > element.clientWidth + 1;
      if (isWide) element.tabIndex = 0;
      else element.removeAttribute("tabindex");
    }
  };
  const lookSoon = () => { timer ??= setTimeout(look, PAUSE); };
  const changes = new MutationObserver(lookSoon);
  changes.observe(document.querySelector('[data-testid="stApp"]'), { childList: true, subtree: true });
  addEventListener("resize", lookSoon);
  look();
  stop = () => {
    clearTimeout(timer);
    changes.disconnect();
    removeEventListener("resize", lookSoon);
    link.removeEventListener("click", skip);
  };
  return stop;
}
