import { describe, expect, it } from '@jest/globals';
import { decideEngine, isInstallableSystem, socketOf } from './engine.decision.js';

const fresh = { answers: false, canInstall: true };
const at = { yes: false, noInstall: false, interactive: false };

describe('decideEngine', () => {
  it('the launcher never replaces an engine that answers, with any options', () => {
    for (const yes of [true, false])
      for (const noInstall of [true, false])
        for (const interactive of [true, false])
          expect(decideEngine({ answers: true, canInstall: true }, { yes, noInstall, interactive }).kind).toBe('ready');
  });

  it('the launcher asks at a terminal, installs without one or with --yes, and never installs with --no-install', () => {
    expect(decideEngine(fresh, { ...at, interactive: true }).kind).toBe('ask');
    expect(decideEngine(fresh, { ...at, interactive: true, yes: true }).kind).toBe('install');
    expect(decideEngine(fresh, at).kind).toBe('install');
    expect(decideEngine(fresh, { ...at, noInstall: true }).kind).toBe('tell');
    expect(decideEngine(fresh, { yes: true, noInstall: true, interactive: false }).kind).toBe('tell');
  });

  it('the launcher only prints the commands if it cannot install an engine', () => {
    expect(decideEngine({ answers: false, canInstall: false }, { ...at, yes: true }).kind).toBe('tell');
  });
});

describe('isInstallableSystem', () => {
  it.each([
    ['ID=debian\nVERSION_CODENAME=bookworm\n', true],
    ['PRETTY_NAME="Debian GNU/Linux 13"\nID=debian\nVERSION_CODENAME=trixie', true],
    ['ID=debian\nVERSION_CODENAME=bullseye\n', false],
    ['ID=ubuntu\nID_LIKE=debian\n', true],
    ['ID=linuxmint\nID_LIKE="ubuntu debian"\n', true],
    ['ID=fedora\n', false],
    ['', false],
  ])('isInstallableSystem recognises the system in %j', (text, expected) =>
    expect(isInstallableSystem(text)).toBe(expected),
  );
});

describe('socketOf', () => {
  it('socketOf recognises sockets and machines that ssh reaches', () => {
    expect(socketOf('ssh://me@nas.lan\n')).toBe('ssh://me@nas.lan');
    expect(socketOf('unix:///run/user/1000/docker.sock\n')).toBe('/run/user/1000/docker.sock');
    expect(socketOf('tcp://10.0.0.1:2376')).toBeNull();
  });
});
