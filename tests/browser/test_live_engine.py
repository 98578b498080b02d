"""The engine in a real browser: a worker from a blob trains, posts transferred samples, and takes points on the way."""

from playwright.sync_api import Browser

from bdlviz.live import engine

PLACE = "http://live.test/"  # a worker from a blob needs an origin
PROGRAM = """
async ([text, hidden]) => {
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const live = await import(url);
  const posts = [];
  const link = live.connect(url, (message) => {
    posts.push(message);
    if (message.type === "samples") requestAnimationFrame(() => link.send({ type: "next" }));
  });
  const x = Float32Array.from({ length: 20 }, (_, i) => i / 5 - 2);
  link.send({ type: "start", settings: { hidden }, x, y: x.map(Math.sin) });
  link.send({ type: "grid", x: Float32Array.from({ length: 120 }, (_, i) => i / 20 - 3), num_samples: 30 });
  link.send({ type: "next" });
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  await wait(1500);
  link.send({ type: "points", x: x.slice(1), y: x.slice(1) });
  await wait(1500);
  link.close();
  const of = (type) => posts.filter((message) => message.type === type);
  return { in_page: link.in_page, progress: of("progress").at(-1), sets: of("samples").length,
    version: of("samples").at(-1).version, refused: of("refused") };
}
"""


def test_a_worker_trains_and_takes_points_on_the_way(browser: Browser):
    with browser.new_page() as page:
        page.route(PLACE, lambda route: route.fulfill(body="<title>live</title>", content_type="text/html"))
        page.goto(PLACE)
        answer = page.evaluate(PROGRAM, [engine(), [50, 50]])
    assert not answer["in_page"] and not answer["refused"]
    assert answer["progress"]["playing"] and answer["progress"]["step"] > 500
    assert answer["sets"] > 10 and answer["version"] == 2
