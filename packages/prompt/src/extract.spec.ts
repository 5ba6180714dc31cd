import { describe, expect, it } from '@jest/globals';
import { extract } from './extract.js';

describe('extract', () => {
  it('takes CMD: lines in order and leaves words alone', () => {
    const text = 'First I look.\nCMD: ls -la\nthen CMD: not me\n  CMD:   du -sh .  \r\nCMD:\n';
    expect(extract(text)).toEqual({ commands: ['ls -la', 'du -sh .'], goalLine: null });
  });

  it('reads GOAL: complete with what follows as its summary, without its commands', () => {
    expect(extract('CMD: echo hi\nGOAL: complete\nThe files are gone.\nCMD: ls')).toEqual({
      commands: ['echo hi', 'ls'],
      goalLine: { kind: 'complete', summary: 'The files are gone.' },
    });
    expect(extract('GOAL: complete').goalLine).toEqual({ kind: 'complete', summary: null });
  });

  it.each(['```\nGOAL: complete\n```', 'GOAL: complete\n---', 'GOAL: complete ✅'])(
    'takes no marks for an answer: %j',
    (text) => {
      expect(extract(text).goalLine).toEqual({ kind: 'complete', summary: null });
    },
  );

  it('reads GOAL: blocked with its reason on the same or the next line', () => {
    expect(extract('GOAL: blocked no such folder').goalLine).toEqual({ kind: 'blocked', reason: 'no such folder' });
    expect(extract('GOAL: blocked - needs a password').goalLine).toEqual({
      kind: 'blocked',
      reason: 'needs a password',
    });
    expect(extract('GOAL: blocked\n\nneeds you').goalLine).toEqual({ kind: 'blocked', reason: 'needs you' });
  });

  it('lets the first GOAL: line win and ignores talk about goals', () => {
    expect(extract('The GOAL: complete line comes later').goalLine).toBeNull();
    expect(extract('GOAL: completely different').goalLine).toBeNull();
    expect(extract('GOAL: blocked x\nGOAL: complete').goalLine).toEqual({ kind: 'blocked', reason: 'x' });
  });

  it('bounds the commands of one answer', () => {
    expect(extract('CMD: true\n'.repeat(1000)).commands).toHaveLength(32);
  });
});
