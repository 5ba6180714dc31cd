import { goalsApi } from '@aish/contracts/endpoints/goals';
import { sessionsApi } from '@aish/contracts/endpoints/sessions';
import type { ApiClient } from '@aish/client/api.client';
import type { Io } from '@aish/client/io';

/** Returns the session of a goal (`g4`, `4`), or `c12`. A reference that names no goal is treated as a session. */
export async function sessionOf(client: ApiClient, reference: string, io: Io): Promise<string> {
  const number = /^[cs]-?(\d+)$/i.exec(reference)?.[1];
  if (number !== undefined) return (await client.call(sessionsApi.show, { params: { ref: number } }, io.signal)).id;
  try {
    return (
      await client.call(goalsApi.show, { params: { ref: /^g-?(\d+)$/i.exec(reference)?.[1] ?? reference } }, io.signal)
    ).sessionId;
  } catch (error) {
    const isUnknown = error instanceof Error && 'code' in error && error.code === 'not_found';
    if (isUnknown && reference.includes('-')) return reference;
    throw error;
  }
}
