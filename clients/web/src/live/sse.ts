/** One server-sent event: its id, and its data as it was sent. */
export interface Sent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

/** Nothing at all for so long, not even the server's heartbeat every 15 s: the connection is dead, however open it looks. */
const SILENCE_MS = 40_000;

/**
 * The events of a stream until it ends. `beat` is a sign of life without an event.
 * @throws when the connection breaks or goes silent; TypeError of fetch, or `Refused` for an answer that is no success
 */
export async function* eventsOf(url: string, signal: AbortSignal): AsyncGenerator<Sent | 'open' | 'beat'> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const stop = AbortSignal.any([signal, silence.signal]);
    const response = await fetch(url, { signal: stop, cache: 'no-store', headers: { accept: 'text/event-stream' } });
    if (!response.ok || response.body === null) throw new Refused(response.status);
    yield 'open';
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) yield parsed(block) ?? 'beat';
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

export class Refused extends Error {
  constructor(readonly status: number) {
    super(`the stream was refused with ${status}`);
  }
}

function parsed(block: string): Sent | null {
  let id: string | null = null;
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^([a-z]+):? ?(.*)$/.exec(line) ?? [];
    if (name === 'id') id = value;
    else if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
  }
  return data.length === 0 ? null : { id, event, data: data.join('\n') };
}
