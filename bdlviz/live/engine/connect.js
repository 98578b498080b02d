// The link between a page and its fit: in a Web Worker, or in slices in the page where no worker can be started.

import { Session } from "./session.js";

const SLICE_IN_PAGE_MS = 6; // leaves time for the page's own frames

// A link to a new fit; `listen` gets its messages. `url` is that of this module, which the worker loads, too.
export function connect(url, listen) {
  const link = { in_page: false, send: (message) => waiting.push(message), close() {} };
  const waiting = []; // messages before the worker has answered
  const useSession = () => {
    const session = new Session(listen, (callback) => setTimeout(callback, 0), undefined, SLICE_IN_PAGE_MS);
    let isOpen = true;
    link.in_page = true;
    link.send = (message) => isOpen && session.take(message);
    link.close = () => {
      isOpen = false;
      session.isPlaying = false;
      session.isAsked = false;
    };
    listen({ type: "ready" });
    waiting.splice(0).forEach(link.send);
  };
  let worker;
  try {
    worker = new Worker(url, { type: "module" });
  } catch {
    setTimeout(useSession, 0);
    return link;
  }
  link.close = () => worker.terminate();
  worker.onerror = () => {
    worker.terminate();
    if (link.is_ready) listen({ type: "refused", message: "The worker has stopped: load the page again." });
    else useSession();
  };
  worker.onmessage = ({ data }) => {
    if (data.type === "ready") {
      link.is_ready = true;
      link.send = (message) => worker.postMessage(message);
      waiting.splice(0).forEach(link.send);
    }
    listen(data);
  };
  return link;
}

// In a worker: answers its page. A message channel returns sooner than a timer, and lets messages in between.
export function serve(scope) {
  const { port1, port2 } = new MessageChannel();
  let callback = null;
  port1.onmessage = () => callback();
  const later = (next) => {
    callback = next;
    port2.postMessage(0);
  };
  const session = new Session((message, arrays = []) => scope.postMessage(message, arrays), later);
  scope.onmessage = ({ data }) => session.take(data);
  scope.postMessage({ type: "ready" });
}

if (typeof WorkerGlobalScope !== "undefined" && globalThis instanceof WorkerGlobalScope) serve(globalThis);
