import { describe, expect, it } from '@jest/globals';
import { explore, type Kind } from '../../testing/explore.js';
import { VERDICTS, actionEvents, askedOf } from '../../testing/explored-events.js';
import { advanceChat } from './advance.js';
import type { ChatEvent, OwnChatRecord } from './events.js';
import type { Answered, ChatMachine } from './state.js';

const STATES_MAX = 100_000;
const FIRST: ChatMachine = {
  state: 'running',
  exchange: 1,
  rounds: 1,
  maxRounds: 2,
  autoContinue: true,
  readsGoOn: true,
  confirmCommands: false,
  trust: 'ask',
  recent: [],
  step: { n: 1, answered: false, goalLine: null, actions: [] },
};
const ANSWER: Omit<Answered, 'actions' | 'goalLine' | 'end'> = {
  text: 'I',
  reasoning: '',
  toolCalls: [],
  preset: 'fast',
  fallbackFrom: null,
  model: null,
  usage: null,
  firstWordMs: null,
  totalMs: 0,
  notes: [],
  isSchemaEcho: false,
  trouble: null,
};

function eventsOf(machine: ChatMachine): readonly ChatEvent[] {
  const by = 'p';
  const nothing = { actions: [], goalLine: null };
  const need = { kind: 'need', need: { kind: 'host', name: 'nas', why: '' } } as const;
  const answers = machine.step?.answered === false ? askedOf(machine.step.n, [need]) : [];
  return [
    { type: 'taken', draft: { text: '', reasoning: '' }, preset: 'fast' },
    { type: 'taken', draft: { text: 'I', reasoning: '' }, preset: 'fast' },
    ...answers.map((asked): ChatEvent => ({ type: 'answered', answer: { ...ANSWER, ...asked, end: 'whole' } })),
    ...(['length', 'stopped', 'failed', 'interrupted'] as const).map((end): ChatEvent => ({
      type: 'answered',
      answer: { ...ANSWER, ...nothing, end },
    })),
    { type: 'answered', answer: { ...ANSWER, ...nothing, isSchemaEcho: true, end: 'whole' } },
    ...actionEvents(machine),
    ...VERDICTS.map((verdict): ChatEvent => {
      return { type: 'needDecided', verdict, access: verdict === 'proceed' ? ['there'] : null, message: null, by };
    }),
    { type: 'stopped', by, outcomes: {} },
    { type: 'overtaken', by },
  ];
}

const CHAT: Kind<ChatMachine, ChatEvent, OwnChatRecord> = {
  advance: advanceChat,
  events: eventsOf,
  key: ({ recent: _recent, ...machine }) => machine,
  isOver: ({ state }) => state === 'idle',
  isAsking: ({ state }) => state === 'deciding',
  afterEnd: new Set(),
  isWithin: ({ rounds, maxRounds }) => rounds <= maxRounds,
};

describe('the machine of a chat, in every state that it can reach', () => {
  it.each([true, false])('every invariant holds on every path of a chat, with autoContinue: %s', (autoContinue) => {
    const { states, broken } = explore({ ...FIRST, autoContinue }, CHAT, STATES_MAX);
    expect(broken).toEqual([]);
    expect(states).toBeGreaterThan(500);
  });
});
