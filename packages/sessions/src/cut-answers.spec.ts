import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openWorld, type ContractSession, type World } from '@aish/actions/testing';
import { listSteps } from '@aish/database/steps.repository';
import { listTurns } from '@aish/database/turns.repository';
import { beginChat } from './testing/begin-chat.js';
import { beginGoal } from './testing/begin-goal.js';

/**
 * The answer of a model with 1.5 billion parameters to its first goal: it invented a result until it reached its limit.
 */
const INVENTED = `GOAL: check ls -la backup\n[exec] ls -la backup\n${'| 2023-04-15 14:30 backup.tar.gz\n'.repeat(400)}CMD: rm -rf backup\n`;

describe.each([
  ['goal', beginGoal],
  ['chat', beginChat],
] as const)('answers that are cut off in a %s', (_, begin) => {
  let world: World;
  let session: ContractSession;

  beforeAll(async () => {
    world = await openWorld();
  }, 120_000);
  afterAll(() => world?.close());
  beforeEach(async () => {
    world.sandbox.ran.length = 0;
    world.last = 'GOAL: complete\nDone.';
    session = await begin(world);
  });

  const turnTexts = async () => (await listTurns(world.db.statements, session.sessionId)).map(({ content }) => content);

  it('an answer that invents a result is cut off there with a notice, and nothing after the cut runs', async () => {
    world.answers = [{ text: `CMD: echo one\n${INVENTED}`, delayMs: 1 }];
    await session.run();
    expect(world.sandbox.ran).toContain('echo one');
    expect(world.sandbox.ran).not.toContain('rm -rf backup');
    const turns = await turnTexts();
    expect(turns).toContain('CMD: echo one\nGOAL: check ls -la backup\n');
    expect(turns.join('\n')).toContain('[aish] Your answer was cut where it began to show a result');
    expect(turns.join('\n')).not.toContain('2023-04-15');
    const [first] = await listSteps(world.db.statements, session.sessionId);
    expect(first?.notes).toContain('cut where it began to invent a result');
    // aish ended the request although the model had more to write.
    expect(world.model.requests.at(-2)?.state).toBe('left');
  });

  it('text that an answer repeats is saved once, and the repetitions are dropped', async () => {
    world.answers = [{ text: `CMD: echo two\n${'I wait for the result.\n'.repeat(500)}` }];
    await session.run();
    expect(await turnTexts()).toContain('CMD: echo two\nI wait for the result.');
    expect(world.sandbox.ran).toEqual(['echo two']);
  });

  it('no command runs if the answer is cut off inside one, and the model is asked again', async () => {
    world.answers = [
      { text: "CMD: echo first\nCMD: cat > notes <<'EOF'\nhalf a fi", finish: 'length' },
      { text: 'CMD: echo shorter' },
    ];
    await session.run();
    expect(world.sandbox.ran).toEqual(['echo shorter']);
    expect((await turnTexts()).join('\n')).toContain('cut inside a command');
  });

  it('the commands of an answer run if it is cut off after them', async () => {
    world.answers = [{ text: 'CMD: echo whole\nNow I would like to add that', finish: 'length' }];
    await session.run();
    expect(world.sandbox.ran).toEqual(['echo whole']);
  });

  it('a model whose thoughts reach the token limit is asked to answer', async () => {
    world.answers = [
      { text: '', reasoning: 'Hmm. Let me see, what is there to see. ', finish: 'length' },
      { text: 'CMD: echo now' },
    ];
    await session.run();
    expect((await turnTexts()).join('\n')).toContain('You thought until the limit');
    expect(world.sandbox.ran).toEqual(['echo now']);
  });
});

describe.each([
  ['goal', beginGoal],
  ['chat', beginChat],
] as const)('repetitions of the model in a %s', (_, begin) => {
  it.each([
    [
      'in its thoughts',
      { text: '', reasoning: 'Wait, let me look again. '.repeat(400), delayMs: 1 },
      'Your thoughts repeated',
    ],
    [
      'in a call',
      {
        text: '',
        toolCalls: [{ name: 'bash', arguments: `{"command":"echo ${'again and '.repeat(2_000)}` }],
        delayMs: 1,
      },
      'it repeated itself',
    ],
  ] as const)(
    'a model that repeats itself %s is asked again',
    async (_where, reply, notice) => {
      const world = await openWorld();
      try {
        world.answers = [reply, { text: 'CMD: echo now' }];
        world.last = 'GOAL: complete\nDone.';
        const session = await begin(world);
        await session.run();
        const turns = (await listTurns(world.db.statements, session.sessionId)).map(({ content }) => content);
        expect(turns.join('\n')).toContain(notice);
        expect(world.sandbox.ran.filter((command) => command !== 'echo now')).toEqual([]);
        expect(world.model.requests[0]?.state).toBe('left');
      } finally {
        await world.close();
      }
    },
    120_000,
  );
});

describe('empty answers in a chat', () => {
  it('a model that gives an empty answer is asked again, so that the person gets a reply', async () => {
    const world = await openWorld();
    try {
      world.answers = [{ text: ' \n' }, { text: 'Here I am.' }];
      const session = await beginChat(world);
      await session.run();
      const turns = await listTurns(world.db.statements, session.sessionId);
      expect(turns.at(-1)).toMatchObject({ role: 'assistant', content: 'Here I am.' });
    } finally {
      await world.close();
    }
  }, 120_000);
});

it('the model and the person learn that a goal no longer fits into the model’s context', async () => {
  const STEPS = 12;
  const world = await openWorld((_, n) => ({
    text:
      n < STEPS
        ? `CMD: echo ${Array.from({ length: 250 }, (_each, at) => at * (n + 3)).join(' ')}`
        : 'GOAL: complete\nDone.',
  }));
  await world.capabilityStore.learn(world.preset, { contextTokens: 6_000 }, 'a small window');
  const goal = await beginGoal(world);
  await goal.run();
  const [, first] = world.model.requests.at(-1)?.messages ?? [];
  expect(JSON.stringify(first)).toContain('Earlier turns of this session are left out here');
  const notes = (await listSteps(world.db.statements, goal.sessionId)).map((step) => step.notes);
  expect(notes[0]).toEqual([]);
  expect(notes.at(-1)).toContain('the model did not see the oldest turns: the session is longer than its context');
  await world.close();
}, 120_000);

describe('commands in another form in a chat', () => {
  it('a chat runs a command in a marked line, but not code that may be an example', async () => {
    const world = await openWorld();
    try {
      world.answers = [
        { text: '**CMD:** echo marked' },
        { text: 'You can list them:\n```bash\nls -la\n```' },
        { text: 'You can list them: run `ls`' },
        { text: '**Need:** a new disk' },
      ];
      const session = await beginChat(world);
      await session.run();
      const steps = await listSteps(world.db.statements, session.sessionId);
      expect(world.sandbox.ran).toEqual(['echo marked']);
      expect(steps.map(({ notes }) => notes)).toEqual([
        ['read an action out of a marked line'],
        [expect.stringContaining('nothing was run')],
      ]);
    } finally {
      await world.close();
    }
  }, 120_000);
});
