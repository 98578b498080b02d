"""Scripts that run in a page before its own: they count, repeat or break what the page does."""

# Counts the runs of the page's script and the bytes that arrive, from the very start.
COUNT = """
  window.__runs = 0;
  window.__bytes = 0;
  new MutationObserver((changes) => {
    for (const { target, oldValue } of changes) {
      if (target.dataset.testScriptState === 'running' && oldValue !== 'running') window.__runs += 1;
    }
  }).observe(document, { subtree: true, attributeFilter: ['data-test-script-state'], attributeOldValue: true });
  const Original = window.WebSocket;
  window.WebSocket = new Proxy(Original, {
    construct(target, given) {
      const socket = new target(...given);
      const weigh = ({ data }) => { window.__bytes += data.byteLength ?? data.size ?? data.length; };
      socket.addEventListener('message', weigh);
      return socket;
    },
  });
"""

# Every request for a run goes out twice, as Streamlit itself does when a timer fires between two of its steps.
SEND_TWICE = """
  window.__twice = 0;
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    const isRun = new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, 1)[0] === 90;
    send.call(this, data);
    if (!isRun || !(window.__delay >= 0)) return;
    window.__twice += 1;
    setTimeout(() => send.call(this, data), window.__delay);
  };
"""

# Plotly needs a canvas, too: only those of components fail.
NO_CANVAS = """
  const original = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (...given) {
    if (this.getRootNode() instanceof ShadowRoot) throw new Error('no canvas here');
    return original.apply(this, given);
  };
"""
