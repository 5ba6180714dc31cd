import { HttpClient } from '@aish/client/http.client';
import { apiBase } from '../base.js';
import { Hub, type News, type Wish } from './hub.js';

/** This is the shared worker, with one hub for all tabs of this browser. */
const hub = new Hub(new HttpClient({ baseUrl: apiBase(location.href), credentials: async () => ({}) }));

addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports;
  if (port === undefined) return;
  const tell = (news: News): void => port.postMessage(news);
  hub.join(tell);
  port.addEventListener('message', ({ data }: MessageEvent<Wish>) => hub.hear(tell, data));
  port.start();
});
