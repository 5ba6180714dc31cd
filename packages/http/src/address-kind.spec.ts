import { describe, expect, it } from '@jest/globals';
import { canonicalAddress, machineAddresses, addressKind, type AddressKind } from './address-kind.js';

describe('an address', () => {
  it.each<[AddressKind, readonly string[]]>([
    ['public', ['1.1.1.1', '93.184.216.34', '2606:4700::1111']],
    ['private', ['10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.0.1', '100.64.0.1', 'fd12:3456::1']],
    ['own', ['127.0.0.1', '127.9.9.9', '::1', '169.254.169.254', 'fe80::1', 'fd00:ec2::254', '100.100.100.200']],
    ['own', ['192.0.0.192', '168.63.129.16', 'fd20:ce::254']],
    [
      'never',
      ['0.0.0.0', '255.255.255.255', '224.0.0.1', '240.0.0.1', 'ff02::1', '::', '2001:db8::1', '64:ff9b::a00:1'],
    ],
  ])('addressKind classifies addresses as %s', (kind, addresses) => {
    for (const address of addresses) expect([address, addressKind(address, new Set())]).toEqual([address, kind]);
  });

  it('addressKind classifies every address of this machine as own', () => {
    expect(addressKind('93.184.216.34', new Set(['93.184.216.34']))).toBe('own');
    expect(machineAddresses().has('127.0.0.1')).toBe(true);
  });

  it('canonicalAddress returns one form for each address, and null for any other text', () => {
    const ways: readonly [string, string | null][] = [
      ['10.0.0.1', '10.0.0.1'],
      ['::ffff:10.0.0.1', '10.0.0.1'],
      ['::FFFF:a00:1', '10.0.0.1'],
      ['FD00:0:0::1', 'fd00::1'],
      ['0x7f.1', null],
      ['2130706433', null],
      ['010.0.0.1', null],
      ['host', null],
      ['', null],
    ];
    for (const [text, address] of ways) expect([text, canonicalAddress(text)]).toEqual([text, address]);
  });
});
