import { Hub, type News, type Wish } from './hub.js';

/** The shared worker: one hub for all tabs of this browser. */
const hub = new Hub((path) => new URL(`..${path}`, new URL('.', location.href)).href);

addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports;
  if (port === undefined) return;
  const tell = (news: News): void => port.postMessage(news);
  hub.join(tell);
  port.addEventListener('message', ({ data }: MessageEvent<Wish>) => hub.hear(tell, data));
  port.start();
});
