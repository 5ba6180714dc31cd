import { describe, expect, it } from '@jest/globals';
import { rootCertificates } from 'node:tls';
import { certificatesIn } from '@aish/contracts/secrets';
import { secretToSet } from './secret-to-set.js';

const grafana = { host: 'grafana.lan', port: 3000, tls: true };
const other = { host: 'other.lan', port: 443, tls: true };
const known = { targets: [grafana], value: 'the value of it', certificate: null };
const [pem = '', another = ''] = rootCertificates;

describe('a person gives a secret to a goal', () => {
  it('a new secret needs a value', () => {
    expect(secretToSet('KEY', grafana, null, { value: 'the value of it' })).toEqual({
      value: 'the value of it',
      targets: [grafana],
      certificate: null,
    });
    expect(() => secretToSet('KEY', grafana, null, { value: '' })).toThrow('Enter its value');
  });

  it('an existing secret for the same address stays unchanged', () => {
    expect(secretToSet('KEY', grafana, known, {})).toBeNull();
    expect(secretToSet('KEY', grafana, known, { value: 'a newer value' })).toEqual({
      value: 'a newer value',
      targets: [grafana],
      certificate: null,
    });
  });

  it('an existing secret gets another address only if its current value is entered', () => {
    expect(() => secretToSet('KEY', other, known, {})).toThrow('KEY is set for https://grafana.lan:3000');
    expect(() => secretToSet('KEY', other, known, { value: 'a guess of it' })).toThrow('another value');
    expect(secretToSet('KEY', other, known, { value: 'the value of it' })?.targets).toEqual([grafana, other]);
    expect(() => secretToSet('KEY', { ...grafana, tls: false }, known, {})).toThrow('KEY is set for');
  });

  it('the error about a value does not contain the value', () => {
    expect(() => secretToSet('KEY', grafana, null, { value: 'short' })).toThrow(/^The value must be one line/);
    expect(() => secretToSet('KEY', grafana, null, { value: 'short' })).not.toThrow(/short/);
  });

  it('another certificate is added to a secret only if the current value of the secret is entered', () => {
    const value = known.value;
    const first = secretToSet('KEY', grafana, null, { value, certificate: `${pem}\nand more words` });
    expect(first?.certificate).toBe(certificatesIn(pem));
    const trusted = { ...known, certificate: `${pem}\n` };
    expect(secretToSet('KEY', grafana, trusted, { certificate: pem.replaceAll('\n', '\r\n') })).toBeNull();
    expect(() => secretToSet('KEY', grafana, trusted, { certificate: another })).toThrow('KEY is already set. Enter');
    const both = secretToSet('KEY', grafana, trusted, { value, certificate: another })?.certificate;
    expect(both).toBe(certificatesIn(`${pem}\n${another}`));
    expect(secretToSet('KEY', other, trusted, { value })?.certificate).toBe(trusted.certificate);
  });

  it('an incomplete certificate, a private key and too many certificates are refused', () => {
    const value = known.value;
    const key = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA\n-----END PRIVATE KEY-----';
    for (const certificate of [key, pem.replace(/\n[^\n]*\n-----END/, '\n-----END'), pem.slice(0, 200)]) {
      expect(() => secretToSet('KEY', grafana, null, { value, certificate })).toThrow('certificate cannot be read');
    }
    const nine = rootCertificates.slice(0, 9).join('\n');
    expect(() => secretToSet('KEY', grafana, null, { value, certificate: nine })).toThrow(/certificate/);
  });
});
