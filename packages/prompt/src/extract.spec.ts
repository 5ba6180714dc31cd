import { describe, expect, it } from '@jest/globals';
import { extract } from './extract.js';

describe('extract', () => {
  it('extract returns CMD: lines in order, and ignores other text', () => {
    const text = 'First I look.\nCMD: ls -la\nthen CMD: not me\n  CMD:   du -sh .  \r\nCMD:\n';
    expect(extract(text)).toEqual({ commands: ['ls -la', 'du -sh .'], goalLine: null });
  });

  it('GOAL: complete takes the text after it as summary, without commands', () => {
    expect(extract('CMD: echo hi\nGOAL: complete\nThe files are gone.\nCMD: ls')).toEqual({
      commands: ['echo hi', 'ls'],
      goalLine: { kind: 'complete', summary: 'The files are gone.' },
    });
    expect(extract('GOAL: complete').goalLine).toEqual({ kind: 'complete', summary: null });
  });

  it.each(['```\nGOAL: complete\n```', 'GOAL: complete\n---', 'GOAL: complete ✅'])(
    'GOAL: complete with only marks around it has no summary: %j',
    (text) => {
      expect(extract(text).goalLine).toEqual({ kind: 'complete', summary: null });
    },
  );

  it('GOAL: blocked takes its reason from the same or the next line', () => {
    expect(extract('GOAL: blocked no such folder').goalLine).toEqual({ kind: 'blocked', reason: 'no such folder' });
    expect(extract('GOAL: blocked - needs a password').goalLine).toEqual({
      kind: 'blocked',
      reason: 'needs a password',
    });
    expect(extract('GOAL: blocked\n\nneeds you').goalLine).toEqual({ kind: 'blocked', reason: 'needs you' });
  });

  it('a GOAL: line in a fence beside a command is an example', () => {
    const how = '```\nGOAL: complete\n```';
    expect(extract(`At the end I write\n${how}\nbut first\nCMD: pwd`)).toEqual({ commands: ['pwd'], goalLine: null });
    expect(extract(`CMD: pwd\n${how}\nGOAL: blocked no disk`).goalLine).toMatchObject({ kind: 'blocked' });
    expect(extract('```\nCMD: pwd\nGOAL: complete\n```').goalLine).toMatchObject({ kind: 'complete' });
  });

  it('the first GOAL: line counts, and sentences about goals are ignored', () => {
    expect(extract('The GOAL: complete line comes later').goalLine).toBeNull();
    expect(extract('GOAL: completely different').goalLine).toBeNull();
    expect(extract('GOAL: blocked x\nGOAL: complete').goalLine).toEqual({ kind: 'blocked', reason: 'x' });
  });

  it('the number of commands taken from one answer is limited', () => {
    expect(extract('CMD: true\n'.repeat(1000)).commands).toHaveLength(32);
  });
});
