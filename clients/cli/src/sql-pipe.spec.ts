import { expect, it } from '@jest/globals';
import { withSqlOf } from './sql-pipe.js';

const { signal } = new AbortController();
const ask = (program: string, ...args: readonly string[]) =>
  withSqlOf(program, args, signal, (sql) => sql('aish', 'select 1'));

it('the rows of a statement are those of the line that the program prints', async () => {
  expect(await ask('sh', '-c', `read line; echo '{"rows":["1"]}'`)).toEqual(['1']);
});

it('the error of the program is the error of the statement', async () => {
  await expect(ask('sh', '-c', `read line; echo '{"error":"no such table"}'`)).rejects.toThrow('no such table');
});

it('a program that ends without an answer is reported with what it printed', async () => {
  await expect(ask('sh', '-c', 'echo broken >&2')).rejects.toThrow('The database does not answer: broken');
});

it('a program that does not exist is reported', async () => {
  await expect(ask('/nowhere/docker')).rejects.toThrow('/nowhere/docker ENOENT');
});
