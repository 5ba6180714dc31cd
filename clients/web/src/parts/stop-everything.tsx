import { chatApi, sessionsApi } from '@aish/contracts/endpoints/sessions';
import { goalsApi } from '@aish/contracts/endpoints/goals';
import { hasEnded } from '@aish/views/goal.state';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError } from '@aish/client/api.error';
import { call } from '../api.js';
import { T } from '../texts.js';
import { Trouble, useDoing } from './resource.js';
import { TwiceButton } from './twice.js';

/** The api lists at most this many at once. */
const LIMIT = 500;

/** On the second press, pauses all goals with their commands and stops all chats. */
export function StopEverything(): JSX.Element {
  const doing = useDoing();
  const [count, setCount] = useState<number | null>(null);
  const run = async (): Promise<void> => setCount(await stopAll());
  return (
    <>
      <TwiceButton label={T.goals.stopAll} isDisabled={doing.isBusy} isQuiet done={() => void doing.run(run)} />
      {count === null ? null : <span role="status">{T.goals.stopped(count)}</span>}
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
    </>
  );
}

/** @returns the number of goals and chats that were stopped */
async function stopAll(): Promise<number> {
  const [goals, chats] = await Promise.all([
    call(goalsApi.list, { query: { limit: LIMIT } }),
    call(sessionsApi.list, { query: { kind: 'chat', limit: LIMIT } }),
  ]);
  const stops = [
    ...goals.items
      .filter(({ state }) => state !== 'paused' && !hasEnded(state))
      .map(
        ({ id }) =>
          () =>
            call(goalsApi.pause, { params: { ref: id }, query: { stop: true } }),
      ),
    ...chats.items
      .filter(({ state }) => state !== 'idle')
      .map(
        ({ id }) =>
          () =>
            call(chatApi.stop, { params: { ref: id } }),
      ),
  ];
  for (const stop of stops) {
    await stop().catch((error: unknown) => {
      // A goal that ended in the meantime also counts as stopped.
      if (!(error instanceof ApiError) || error.code !== 'goal_ended') throw error;
    });
  }
  return stops.length;
}
