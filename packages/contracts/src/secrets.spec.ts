import { describe, expect, it } from '@jest/globals';
import { certificatesIn, SetSecret } from './secrets.js';

const BODY = 'MIIB'.repeat(40);
const PEM = `-----BEGIN CERTIFICATE-----\n${BODY.match(/.{1,64}/g)?.join('\n')}\n-----END CERTIFICATE-----\n`;

describe('certificates in pasted text', () => {
  it('certificatesIn finds certificates in any surrounding text, each once', () => {
    expect(certificatesIn(PEM)).toBe(PEM);
    expect(certificatesIn(`subject=CN = a\n${PEM}---\nServer certificate\n${PEM}`)).toBe(PEM);
    expect(certificatesIn('no certificate')).toBeNull();
    expect(certificatesIn(Array.from({ length: 9 }, (_, n) => PEM.replace('MIIB', `MIB${n}`)).join(''))).toBeNull();
  });

  it('certificatesIn restores the line breaks of certificates, however they were pasted', () => {
    for (const pasted of [PEM.replaceAll('\n', '\r\n'), PEM.replaceAll('\n', ' '), PEM.replaceAll('\n', '\n    ')]) {
      expect(certificatesIn(pasted)).toBe(PEM);
    }
    const secret = { value: 'long enough', targets: [{ host: 'a.lan' }], certificate: certificatesIn(PEM) };
    expect(SetSecret.safeParse(secret).success).toBe(true);
  });
});
