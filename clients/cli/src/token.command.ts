import { tokensApi } from '@aish/contracts/endpoints/sign-in';
import { open } from 'node:fs/promises';
import { SpaceName } from '@aish/contracts/space-name';
import { AishError } from '@aish/contracts/problems';
import { Scope, TOKEN_DAYS_MAX } from '@aish/contracts/tokens';
import { InvalidArgumentError } from 'commander';
import { line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { behaviour, one, option, repeated } from './command.js';
import { note, writeJson, writeLines } from '@aish/client/io';

export const tokenCreate = behaviour({
  args: { name: one('its owner, shown beside each verdict') },
  options: {
    scope: repeated('scope', `what it may do; repeatable: ${Scope.options.join(', ')}`, '-s'),
    days: option('n', 'days until it expires (default: it never expires)', { read: readDays }),
    owner: option('person', 'owner of the memory that it uses (default: its own name)'),
    app: option('space/name', 'limit it to the memory of one app in one space', { read: readApp }),
    out: option('file', 'write the secret to a new file (mode 0600) instead of printing it', { suggests: 'file' }),
  },
  json: 'print the token with its secret',
  examples: [
    'aish token add phone --scope decide --days 90',
    'aish token add disk-watcher --scope app --owner alice --app home/disk-watcher',
    'aish token add laptop -s operate -s decide --out ~/.config/aish/token',
  ],
  run: async ({ args, options, io, connect }) => {
    const scopes = (options.scope ?? []).map(readScope);
    if (scopes.length === 0) throw new AishError('invalid_body', `Add a --scope: ${Scope.options.join(', ')}`);
    const body = {
      name: args.name,
      scopes,
      ...(options.days === undefined ? {} : { expiresInDays: options.days }),
      ...(options.owner === undefined ? {} : { owner: options.owner }),
      ...(options.app === undefined ? {} : { app: options.app }),
    };
    // The file is created before the token, because a secret that cannot be stored would be lost.
    const file = options.out === undefined ? undefined : await open(options.out, 'wx', 0o600);
    try {
      const made = await connect().client.call(tokensApi.create, { body }, io.signal);
      await file?.writeFile(`${made.token}\n`);
      if (options.json) return writeJson(io, file === undefined ? made : { ...made, token: undefined });
      if (file !== undefined) return note(io, `The token ${made.name} is in ${options.out}`);
      writeLines(io, [line(made.token)]);
      note(
        io,
        `Token ${made.name} (${made.scopes.join(', ')}). It is shown only once; store it in a file with mode 0600.`,
      );
    } finally {
      await file?.close();
    }
  },
});

function readScope(text: string): Scope {
  const scope = Scope.safeParse(text);
  if (scope.success) return scope.data;
  throw new AishError('invalid_body', `There is no scope ${oneLine(text)}. The scopes are ${Scope.options.join(', ')}`);
}

function readApp(text: string): { readonly space: string; readonly name: string } {
  const [space = '', name = '', ...rest] = text.split('/');
  if (rest.length === 0 && SpaceName.safeParse(space).success && SpaceName.safeParse(name).success) {
    return { space, name };
  }
  throw new InvalidArgumentError('It must be a space and an app in it, such as home/disk-watcher.');
}

function readDays(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= TOKEN_DAYS_MAX) return days;
  throw new InvalidArgumentError(`a whole number from 1 to ${TOKEN_DAYS_MAX}`);
}
