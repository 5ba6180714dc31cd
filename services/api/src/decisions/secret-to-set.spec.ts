import { describe, expect, it } from '@jest/globals';
import { secretToSet } from './secret-to-set.js';

const grafana = { host: 'grafana.lan', port: 3000, tls: true };
const other = { host: 'other.lan', port: 443, tls: true };
const known = { targets: [grafana], value: 'the value of it' };

describe('a secret that a goal is given', () => {
  it('is made where there is none, and needs its value', () => {
    expect(secretToSet('KEY', grafana, null, 'the value of it')).toEqual({
      value: 'the value of it',
      targets: [grafana],
    });
    expect(() => secretToSet('KEY', grafana, null, '')).toThrow('type its value');
  });

  it('stays as it is where it may go there', () => {
    expect(secretToSet('KEY', grafana, known, undefined)).toBeNull();
    expect(secretToSet('KEY', grafana, known, 'a newer value')).toEqual({ value: 'a newer value', targets: [grafana] });
  });

  it('goes to another place only with somebody who knows it', () => {
    expect(() => secretToSet('KEY', other, known, undefined)).toThrow('KEY is for https://grafana.lan:3000');
    expect(() => secretToSet('KEY', other, known, 'a guess of it')).toThrow('another value');
    expect(secretToSet('KEY', other, known, 'the value of it')?.targets).toEqual([grafana, other]);
    expect(() => secretToSet('KEY', { ...grafana, tls: false }, known, undefined)).toThrow('KEY is for');
  });

  it('says what is wrong with a value without it', () => {
    expect(() => secretToSet('KEY', grafana, null, 'short')).toThrow(/^The value must be one line/);
    expect(() => secretToSet('KEY', grafana, null, 'short')).not.toThrow(/short/);
  });
});
