import type { KnowledgeCheck } from '@aish/contracts/knowledge-lint';

/** A base with one fault, and the same base repaired. */
export interface FatalFixture {
  readonly code: KnowledgeCheck;
  readonly name: string;
  /** The files beside a good node, by path. */
  readonly broken: Readonly<Record<string, string>>;
  readonly mended: Readonly<Record<string, string>>;
  /** Whether Emacs's own org-lint also reports the broken file. It knows org, but not aish's rules. */
  readonly seenByEmacs: boolean;
}

const GOOD_ID = '00000000-0000-4000-8000-000000000001';
const ID = '3f0c9a52-5a5e-4d0c-9a5e-2f8b1d3c4e5f';
const OTHER_ID = '7b0c9a52-5a5e-4d0c-9a5e-2f8b1d3c4e5f';
const PATH = 'nodes/3f/20260524033000-node.org';

const DRAWER = `:PROPERTIES:
:ID:           ${ID}
:CREATED:      [2026-05-24 Sun 03:30]
:UPDATED:      [2026-05-24 Sun 03:30]
:CREATED_BY:   craig
:CONFIDENCE:   stated
:VISIBILITY:   shared
:PROJECTS:     :emacs:general:
:END:
`;
const KEYWORDS = `#+title: A node
#+filetags: :principle:
`;
const BODY = `
What it is about.

The rest, see RELATES_TO [[id:${GOOD_ID}][The good one]].
`;
export const WHOLE = `${DRAWER}${KEYWORDS}${BODY}`;
export const GOOD_NODE = {
  path: 'nodes/00/20260101000000-good.org',
  text: WHOLE.replace(ID, GOOD_ID).replace('A node', 'The good one'),
};

const at = (text: string, path = PATH): Record<string, string> => ({ [path]: text });
const without = (line: RegExp): Record<string, string> => at(WHOLE.replace(line, ''));
const instead = (from: string | RegExp, to: string): Record<string, string> => at(WHOLE.replace(from, to));
const whole = at(WHOLE);
/** The parts are joined at run time, so that no scanner mistakes this file for a leak. */
const SECRET = ['ghp', 'aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789'].join('_');

function fixture(
  code: KnowledgeCheck,
  name: string,
  broken: FatalFixture['broken'],
  more: { readonly mended?: FatalFixture['mended']; readonly seenByEmacs?: boolean } = {},
): FatalFixture {
  return { code, name, broken, mended: more.mended ?? whole, seenByEmacs: more.seenByEmacs ?? false };
}

/**
 * One file for every fatal check that refuses it, and the same file repaired. The tests themselves make faults of the
 * index.
 */
export const FATAL_FIXTURES: readonly FatalFixture[] = [
  fixture('drawer-malformed', 'a drawer without an end', without(/^:END:\n/m), { seenByEmacs: true }),
  fixture('drawer-malformed', 'a line in the drawer that is not a property', instead(':END:', 'a word\n:END:'), {
    seenByEmacs: true,
  }),
  fixture('drawer-malformed', 'a drawer below the keywords', at(`${KEYWORDS}${DRAWER}${BODY}`), { seenByEmacs: true }),
  fixture(
    'drawer-malformed',
    'a drawer in the text of a headline',
    at(`${WHOLE}\n* Part\nText.\n:PROPERTIES:\n:X: y\n:END:\n`),
    {
      mended: at(`${WHOLE}\n* Part\n:PROPERTIES:\n:X: y\n:END:\nText.\n`),
      seenByEmacs: true,
    },
  ),
  fixture('id-missing', 'no ID', without(/^:ID:.*\n/m)),
  fixture('id-missing', 'an empty ID', instead(/^:ID:.*$/m, ':ID:')),
  fixture('id-invalid', 'an ID that is not a UUID', instead(ID, 'push-failures')),
  fixture(
    'id-duplicate',
    'two files with one ID',
    { ...whole, ...at(WHOLE, 'nodes/3f/20260525000000-again.org') },
    {
      mended: { ...whole, ...at(WHOLE.replace(ID, OTHER_ID), 'nodes/3f/20260525000000-again.org') },
    },
  ),
  fixture('id-duplicate', 'two ID lines in one drawer', instead(':END:', `:ID: ${OTHER_ID}\n:END:`)),
  fixture('title-missing', 'no title', without(/^#\+title:.*\n/m)),
  fixture('title-missing', 'an empty title', instead(/^#\+title:.*$/m, '#+title:')),
  ...['CREATED', 'UPDATED', 'CREATED_BY', 'CONFIDENCE', 'VISIBILITY', 'PROJECTS'].map((key) =>
    fixture('property-missing', `no ${key}`, without(new RegExp(`^:${key}:.*\\n`, 'm'))),
  ),
  fixture(
    'property-invalid',
    'a day that does not exist',
    instead('CREATED:      [2026-05-24 Sun', 'CREATED:      [2026-06-31 Sun'),
  ),
  fixture(
    'property-invalid',
    'a timestamp that is cut off',
    instead('UPDATED:      [2026-05-24 Sun 03:30]', 'UPDATED:      [2026-05-24 Sun 03'),
  ),
  fixture('property-invalid', 'an unknown confidence', instead('stated', 'quite')),
  fixture('property-invalid', 'an unknown visibility', instead('shared', 'secret')),
  fixture('property-invalid', 'an unknown status', instead(':END:', ':STATUS: gone\n:END:')),
  fixture('type-missing', 'no type among the tags', instead(':principle:', ':mine:')),
  fixture('project-invalid', 'a slug with a dot', instead(':emacs:', ':.emacs.d:')),
  fixture('org-invalid', 'a block that is not closed', at(`${WHOLE}\n#+begin_src sh\nls\n`), {
    mended: at(`${WHOLE}\n#+begin_src sh\nls\n#+end_src\n`),
    seenByEmacs: true,
  }),
  fixture('org-invalid', 'an end without a beginning', at(`${WHOLE}\n#+end_quote\n`), {
    mended: at(`${WHOLE}\n#+begin_quote\nx\n#+end_quote\n`),
    seenByEmacs: true,
  }),
  fixture('org-invalid', 'a star in a block', at(`${WHOLE}\n#+begin_example\n* not a headline\n#+end_example\n`), {
    mended: at(`${WHOLE}\n#+begin_example\n,* not a headline\n#+end_example\n`),
    seenByEmacs: true,
  }),
  fixture('org-invalid', 'an end of a drawer without a beginning', at(`${WHOLE}\n:END:\n`), {
    mended: at(`${WHOLE}\n:LOGBOOK:\n- once\n:END:\n`),
    seenByEmacs: true,
  }),
  fixture('encoding-invalid', 'a NUL', instead('What', 'Wh\0at')),
  fixture('link-broken', 'a link to nothing', instead(GOOD_ID, '99999999-9999-4999-8999-999999999999'), {
    seenByEmacs: true,
  }),
  fixture('secret-found', 'a token in a node', instead('The rest', SECRET)),
  fixture(
    'secret-found',
    'a token in a capture',
    { ...whole, 'raw/chat.txt': `so I set ${SECRET} there\n` },
    {
      mended: { ...whole, 'raw/chat.txt': 'so I set it there\n' },
    },
  ),
  fixture('file-too-large', 'a node of more than a megabyte', at(WHOLE + 'words and words\n'.repeat(80_000))),
];
