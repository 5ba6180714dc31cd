import type { GoalList } from '@aish/contracts/goals';
import type { SessionList } from '@aish/contracts/chat';
import { hasEnded } from '@aish/views/goal.state';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ask, Problem } from '../api.js';
import { T } from '../texts.js';
import { Trouble, useDoing } from './resource.js';
import { TwiceButton } from './twice.js';

/** The most that the api lists at once. */
const LIMIT = 500;

/** Pauses all goals, commands included, and stops all chats, at the second press. */
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

/** @returns how many were stopped */
async function stopAll(): Promise<number> {
  const [goals, chats] = await Promise.all([
    ask<GoalList>('GET', `/v1/goals?limit=${LIMIT}`),
    ask<SessionList>('GET', `/v1/sessions?kind=chat&limit=${LIMIT}`),
  ]);
  const paths = [
    ...goals.items
      .filter(({ state }) => state !== 'paused' && !hasEnded(state))
      .map(({ id }) => `/v1/goals/${id}/pause?stop=true`),
    ...chats.items.filter(({ state }) => state !== 'idle').map(({ id }) => `/v1/sessions/${id}/stop`),
  ];
  for (const path of paths) {
    await ask('POST', path).catch((error: unknown) => {
      // One that ended in the meantime is stopped, too.
      if (!(error instanceof Problem) || error.code !== 'goal_ended') throw error;
    });
  }
  return paths.length;
}
