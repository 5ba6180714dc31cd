import { goalsApi } from '@aish/contracts/endpoints/goals';
import { problem, startScriptedServer, type ScriptedServer } from '@aish/client/testing/scripted.server';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { verifies } from '../requirements.js';
import { ApiClient } from '../support/api.client.js';

let server: ScriptedServer;
beforeAll(async () => void (server = await startScriptedServer()));
afterAll(() => server.close());

it(
  verifies('docs.api-reference', 'the client of the tests refuses an error that the endpoint does not declare'),
  async () => {
    const client = new ApiClient(server.url, 'token');
    const answered = async (code: string) => {
      server.on('POST /v1/goals/1/cancel', problem(409, code, 'x'));
      return client.call(goalsApi.cancel, { params: { ref: 1 } }).catch((error: unknown) => error);
    };
    expect(await answered('goal_done')).toMatchObject({
      message: 'POST /v1/goals/:ref/cancel does not declare the problem goal_done',
    });
    expect(await answered('goal_ended')).toMatchObject({ code: 'goal_ended' });
    expect(await answered('internal')).toMatchObject({ code: 'internal' });
  },
);
