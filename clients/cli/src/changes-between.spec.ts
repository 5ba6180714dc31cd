import { describe, expect, it } from '@jest/globals';
import { changesBetween } from './changes-between.js';

const OLD = `# Changes

Newest first.

## 0.1.0

### Goals

- Goals run.
`;

const NEW = `# Changes

Newest first.

## 0.2.0

### What to do

- Check your settings,
  all of them.

### Goals

- Goals can be steered.

## 0.1.0

### Goals

- Goals run.
- Goals stop.
`;

describe('the changes between two versions', () => {
  it('new entries are shown with all their lines, each below its headings', () => {
    expect(changesBetween(OLD, NEW)).toEqual([
      '# Changes',
      '## 0.2.0',
      '### What to do',
      '- Check your settings,',
      '  all of them.',
      '### Goals',
      '- Goals can be steered.',
      '## 0.1.0',
      '### Goals',
      '- Goals stop.',
    ]);
  });

  it('the same change log has no changes', () => {
    expect(changesBetween(NEW, NEW)).toEqual([]);
  });

  it('all entries are new if there is no older change log', () => {
    expect(changesBetween('', OLD)).toEqual(['# Changes', 'Newest first.', '## 0.1.0', '### Goals', '- Goals run.']);
  });
});
