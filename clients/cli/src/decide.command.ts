import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { Verdict } from '@aish/contracts/decisions';
import { hiddenFields } from '@aish/contracts/needs';
import { AishError } from '@aish/contracts/problems';
import { z } from 'zod';
import type { ApiClient } from '@aish/client/api.client';
import { formatGiven } from '@aish/views/decision.format';
import { line } from '@aish/views/line';
import { any, choice, behaviour, flag, one, oneOf, option } from './command.js';
import { oneLine } from '@aish/views/sanitise';
import { LineAsker } from './ask-line.js';
import { writeJson, writeLines, type Io } from '@aish/client/io';
import { readHidden } from './read-hidden.js';
import { decisionReference } from './reference.js';
import { readCertificate } from './secret.command.js';

/** The words for verdicts, with the verdicts that they mean. */
const VERDICTS = {
  proceed: 'proceed',
  skip: 'skip',
  instead: 'instead',
  abort: 'abort',
  edit: 'edit',
  accept: 'proceed',
  decline: 'skip',
  cancel: 'abort',
  answer: 'proceed',
  give: 'proceed',
} as const satisfies Record<string, Verdict>;

export const decide = behaviour({
  args: {
    ref: one('d17, 17 or a UUID', decisionReference, { suggests: 'decision' }),
    verdict: oneOf(
      'instead asks for another way, edit runs another command, give grants access, take-back withdraws a proceed',
      [...Verdict.options, 'accept', 'decline', 'cancel', 'answer', 'give', 'take-back'] as const,
    ),
    words: any('with answer: what to say to the model that asks'),
  },
  options: {
    message: option('text', 'a note for the model, with any verdict', { short: '-m' }),
    command: option('command', 'with edit: command to run instead; aish checks it, too', { short: '-c' }),
    answer: option('json', 'with accept: the values that a server asks for, such as {"name": value}'),
    space: flag('with give: to its whole space, for new goals and chats, too'),
    certificate: option('file', 'with give: certificate of the secret’s server or its authority, if not public', {
      suggests: 'file',
    }),
    grant: choice('scope', 'with proceed: what to stop asking about in this goal', [
      'command',
      'rule',
      'variables',
    ] as const),
    preview: option(
      'id',
      'with proceed: keep this run of aish preview if nothing has changed since (default: run again)',
    ),
    inWindow: flag('with proceed: run when the change window of its space opens, after another check'),
    carried: flag('with proceed: use the variables of earlier commands, as the decision shows them'),
  },
  json: 'print the decision',
  examples: [
    'aish decide d17 proceed',
    'aish decide d17 proceed --grant rule',
    'aish decide d17 proceed --preview 6f1f7d0c-5f0e-4a37-8d0b-6c1b1f0f2a11',
    'aish decide d17 proceed --in-window',
    'aish decide d17 take-back',
    'aish decide d17 proceed --carried',
    'aish decide d17 proceed --carried --grant variables',
    'aish decide 17 skip -m "do not delete the logs"',
    'aish decide 17 instead -m "use port 8081"',
    'aish decide d19 answer "the blue one"',
    'aish decide 17 edit -c "rm -r build/cache"',
    'aish decide d20 give',
    'aish decide d20 give --space',
    'aish decide d20 give --certificate grafana.pem',
    `aish decide d18 accept --answer '{"name":"Ada"}'`,
  ],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const { message, command: instead, grant, carried, preview, inWindow, answer, space, certificate } = options;
    if (args.verdict === 'take-back') {
      const asked = await client.call(decisionsApi.takeBack, { params: { ref: args.ref } }, io.signal);
      if (options.json) return writeJson(io, asked);
      return writeLines(io, [line(`d${asked.number}: the approval was withdrawn; the decision is pending again`)]);
    }
    if ((space ?? certificate) !== undefined && args.verdict !== 'give') {
      throw new AishError(
        'invalid_body',
        `--${space === undefined ? 'certificate' : 'space'} works only with the verdict give`,
      );
    }
    const body = {
      verdict: VERDICTS[args.verdict],
      ...answerIn(args.verdict, args.words),
      ...(args.verdict === 'give' ? await givenBy(args.ref, { space: space === true, certificate }, client, io) : {}),
      ...(message === undefined ? {} : { message }),
      ...(instead === undefined ? {} : { command: instead }),
      ...(grant === undefined ? {} : { grant }),
      ...(carried === undefined ? {} : { carried }),
      ...(preview === undefined ? {} : { preview }),
      ...(inWindow === undefined ? {} : { inWindow }),
      ...(answer === undefined ? {} : { answer: readAnswer(answer) }),
    };
    const decision = await client.call(decisionsApi.decide, { params: { ref: args.ref }, body }, io.signal);
    if (options.json) return writeJson(io, decision);
    writeLines(io, [line(`d${decision.number}: ${formatGiven(decision)}`)]);
  },
});

/** Returns the answer in words. Only `answer` takes words. */
function answerIn(verdict: keyof typeof VERDICTS, words: readonly string[]): { answer?: Record<string, unknown> } {
  const typedText = words.join(' ').trim();
  if (verdict !== 'answer') {
    if (typedText === '') return {};
    throw new AishError(
      'invalid_body',
      `${verdict} does not take a text. Use --message "…", or the verdict answer "…"`,
    );
  }
  if (typedText === '') throw new AishError('invalid_body', 'Add the answer: aish decide d17 answer "…"');
  return { answer: { answer: typedText } };
}

/**
 * Returns the values for a request for access: the space and, for a secret, its certificate and value. The value is
 * read from a terminal without showing it, or from stdin.
 */
async function givenBy(
  ref: string,
  given: { readonly space: boolean; readonly certificate: string | undefined },
  client: ApiClient,
  io: Io,
): Promise<{ readonly answer: Record<string, unknown>; readonly version?: string }> {
  const { kind, number, action, request, version } = await client.call(
    decisionsApi.show,
    { params: { ref } },
    io.signal,
  );
  if (kind !== 'need')
    throw new AishError('invalid_body', `d${number} does not ask for access. See it with: aish show d${number}`);
  const access = {
    ...(given.space ? { for: 'space' } : {}),
    ...(given.certificate === undefined ? {} : { certificate: await readCertificate(given.certificate) }),
  };
  const shown = version === undefined ? {} : { version };
  if (hiddenFields(request).length === 0) return { answer: access, ...shown };
  const value = await readValue(io, oneLine(action));
  return { answer: { ...access, ...(value === '' ? {} : { value }) }, ...shown };
}

async function readValue(io: Io, what: string): Promise<string> {
  if (io.stdin.isTTY === true) {
    return readHidden(io, `${what}\nIts value, hidden (Enter if it is already set): `);
  }
  const lines = new LineAsker(io);
  try {
    return ((await lines.ask(`${what}: its value, as one line on stdin`)) ?? '').trim();
  } finally {
    lines.close();
  }
}

function readAnswer(text: string): Record<string, unknown> {
  try {
    const read = z.record(z.string(), z.unknown()).safeParse(JSON.parse(text));
    if (read.success) return read.data;
  } catch {
    // the error is reported below
  }
  throw new AishError('invalid_body', '--answer takes a JSON object such as {"name":"Ada"}');
}
