/** The names of a household object in notes, and in the questions of a person. */
const SUBJECTS: readonly (readonly [own: string, other: string])[] = [
  ['espresso machine', 'coffee maker'], ['NAS', 'storage box'], ['solar panels', 'photovoltaic roof'],
  ['heat pump', 'central heating'], ['dishwasher', 'plate washing appliance'], ['garage door', 'car port gate'],
  ['laser printer', 'thing that puts ink on paper'], ['freezer', 'deep cold chest'], ['router', 'internet gateway'],
  ['doorbell camera', 'entrance surveillance'], ['washing machine', 'laundry appliance'], ['wallbox', 'charger of the car'],
  ['robot vacuum', 'self-driving hoover'], ['smoke detector', 'fire alarm'], ['aquarium', 'fish tank'],
  ['irrigation valve', 'garden watering'], ['sourdough starter', 'bread culture'], ['bicycle', 'two-wheeler'],
  ['piano', 'keyboard instrument'], ['telescope', 'star gazing scope'], ['greenhouse', 'glass plant shed'],
  ['water softener', 'lime remover'], ['record player', 'vinyl turntable'], ['sewing machine', 'stitching device'],
  ['mail server', 'post delivery host'], ['backup disk', 'safety copy drive'], ['chimney', 'smoke flue'],
  ['weather station', 'rain and wind sensor'], ['3D printer', 'plastic extruder'], ['bookshelf', 'library furniture'],
]; // prettier-ignore

interface Aspect {
  readonly note: (subject: string, value: string) => string;
  /** Returns a question in the words of the note. */
  readonly own: (subject: string) => string;
  /** Returns a question in other words. */
  readonly other: (subject: string) => string;
  /** The words that identify the aspect in notes, and in questions with other words. */
  readonly keys: readonly [string, string];
  readonly value: (n: number) => string;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const PEOPLE = 'Alice Bruno Chiara Dmitri Elif Frank Greta Hanna Ivan Jonas Katrin Luca Mira Nils Olga Pavel Quinn Rosa Sven Tilda'.split(' '); // prettier-ignore
const ROOMS = 'cellar attic pantry workshop hallway shed loft study'.split(' ');
const SHOPS = 'Meyer Conrad Reichelt Bauhaus Thomann Saturn Hornbach Globus'.split(' ');

const ASPECTS: readonly Aspect[] = [
  { note: (s, v) => `The warranty of the ${s} ends in ${v}.`, own: (s) => `When does the warranty of the ${s} end?`, other: (s) => `Until what time would the maker mend our ${s} free of charge?`, keys: ['warranty', 'mend'], value: (n) => `${MONTHS[n % 12]} ${2027 + (n % 5)}` },
  { note: (s, v) => `We bought the ${s} at ${v}.`, own: (s) => `Where did we buy the ${s}?`, other: (s) => `Which shop sold us the ${s}?`, keys: ['bought', 'shop sold'], value: (n) => SHOPS[n % 8] ?? '' },
  { note: (s, v) => `The manual of the ${s} lies in the ${v}.`, own: (s) => `Where is the manual of the ${s}?`, other: (s) => `In what place are the printed instructions that came with the ${s}?`, keys: ['manual', 'instructions'], value: (n) => ROOMS[n % 8] ?? '' },
  { note: (s, v) => `The ${s} needs a new filter every ${v} weeks.`, own: (s) => `How often does the ${s} need a new filter?`, other: (s) => `At which interval do I swap the dirt trap in the ${s}?`, keys: ['new filter', 'dirt trap'], value: (n) => String(3 + (n % 40)) },
  { note: (s, v) => `${v} repairs the ${s} when it is broken.`, own: (s) => `Who repairs the ${s} when it is broken?`, other: (s) => `Which craftsman do I call if my ${s} has died?`, keys: ['repairs', 'craftsman'], value: (n) => `Herr ${SHOPS[(n * 3) % 8]}mann` },
  { note: (s, v) => `The serial number of the ${s} is ${v}.`, own: (s) => `What is the serial number of the ${s}?`, other: (s) => `How is the unit called by its vendor, the identification stamped on the ${s}?`, keys: ['serial number', 'identification stamped'], value: (n) => `SN${(n * 7919) % 100000}` },
  { note: (s, v) => `The ${s} draws ${v} watts in standby.`, own: (s) => `How many watts does the ${s} draw in standby?`, other: (s) => `What electricity goes into the ${s} while it idles?`, keys: ['standby', 'idles'], value: (n) => String(1 + (n % 60)) },
  { note: (s, v) => `We insured the ${s} under policy ${v}.`, own: (s) => `Under which policy is the ${s} insured?`, other: (s) => `What contract covers theft of the ${s}?`, keys: ['insured', 'covers theft'], value: (n) => `P-${(n * 104729) % 10000}` },
  { note: (s, v) => `The neighbours complained about the noise of the ${s} after ${v} o'clock.`, own: (s) => `After which hour did the neighbours complain about the noise of the ${s}?`, other: (s) => `How late is too loud for the people next door when the ${s} is on?`, keys: ['neighbours complained', 'next door'], value: (n) => String(18 + (n % 6)) },
  { note: (s, v) => `Never clean the ${s} with ${v}: it ruins the surface.`, own: (s) => `What must the ${s} never be cleaned with?`, other: (s) => `Which substance destroys the finish if I wipe the ${s}?`, keys: ['never clean', 'wipe'], value: (n) => ['vinegar', 'bleach', 'alcohol', 'acetone', 'citric acid'][n % 5] ?? '' },
  { note: (s, v) => `The spare key for the ${s} hangs in the ${v}.`, own: (s) => `Where hangs the spare key for the ${s}?`, other: (s) => `How do I unlock the ${s} if mine is lost?`, keys: ['spare key', 'unlock'], value: (n) => ROOMS[(n * 5) % 8] ?? '' },
  { note: (s, v) => `${v} may borrow the ${s} whenever they like.`, own: (s) => `Who may borrow the ${s}?`, other: (s) => `To whom did we promise to lend the ${s}?`, keys: ['borrow', 'lend'], value: (n) => `the family of ${SHOPS[(n * 7) % 8]}` },
  { note: (s, v) => `The ${s} must stay above ${v} degrees in winter.`, own: (s) => `Above how many degrees must the ${s} stay in winter?`, other: (s) => `How cold may it get around the ${s} during frost?`, keys: ['in winter', 'frost'], value: (n) => String(n % 15) },
  { note: (s, v) => `We plan to replace the ${s} by a ${v} model.`, own: (s) => `By which model do we plan to replace the ${s}?`, other: (s) => `What is to be the successor of our ${s}?`, keys: ['plan to replace', 'successor'], value: (n) => ['smaller', 'Japanese', 'second-hand', 'wooden', 'wireless'][n % 5] ?? '' },
  { note: (s, v) => `The children are allowed to use the ${s} from the age of ${v}.`, own: (s) => `From which age are the children allowed to use the ${s}?`, other: (s) => `How old must the kids be before they operate the ${s} alone?`, keys: ['children are allowed', 'kids'], value: (n) => String(5 + (n % 11)) },
  { note: (s, v) => `The fuse for the ${s} is number ${v}.`, own: (s) => `Which number has the fuse for the ${s}?`, other: (s) => `Where do I cut the power of the ${s}?`, keys: ['fuse', 'cut the power'], value: (n) => String(1 + (n % 36)) },
  { note: (s, v) => `Replacement parts for the ${s} come from ${v}.`, own: (s) => `Where do replacement parts for the ${s} come from?`, other: (s) => `Who supplies components if a piece of the ${s} wears out?`, keys: ['replacement parts', 'supplies components'], value: (n) => ['Hamburg', 'Osaka', 'Turin', 'Brno', 'Porto'][n % 5] ?? '' },
  { note: (s, v) => `The ${s} was a present from ${v}.`, own: (s) => `From whom was the ${s} a present?`, other: (s) => `Who gave us the ${s} as a gift?`, keys: ['present from', 'as a gift'], value: (n) => ['aunt Vera', 'the choir', 'grandfather', 'the office', 'uncle Theo'][n % 5] ?? '' },
  { note: (s, v) => `To reset the ${s}, hold the button for ${v} seconds.`, own: (s) => `How many seconds do I hold the button to reset the ${s}?`, other: (s) => `How do I bring the ${s} back to factory state?`, keys: ['to reset', 'factory state'], value: (n) => String(4 + (n % 26)) },
  { note: (s, v) => `The ${s} is worth ${v} euros for the tax return.`, own: (s) => `How many euros is the ${s} worth for the tax return?`, other: (s) => `Which sum do I declare to the revenue office for the ${s}?`, keys: ['tax return', 'revenue office'], value: (n) => String(40 + ((n * 37) % 900)) },
]; // prettier-ignore

export interface Note {
  readonly text: string;
  readonly at: Date;
  readonly by: string;
}

export type QuestionKind = 'own' | 'paraphrase' | 'when-who' | 'none';

export interface RecallQuestion {
  readonly kind: QuestionKind;
  readonly text: string;
  /** The number of the note that answers the question, or null if none does. */
  readonly answer: number | null;
}

const DAY_MS = 86_400_000;
const BEGAN = Date.parse('2024-02-03T18:00:00Z');
const EACH = 75;
const NOT_THERE = [
  'lawn mower',
  'trampoline',
  'hot tub',
  'drone',
  'sauna',
  'violin',
  'sledge',
  'canoe',
  'anvil',
  'gramophone',
];
const NEVER_NOTED: readonly ((subject: string) => string)[] = [
  (s) => `Which colour has the ${s}?`, (s) => `How heavy is the ${s}?`, (s) => `Who invented the ${s}?`,
  (s) => `What song reminds us of the ${s}?`, (s) => `Did the dog ever bite the ${s}?`,
]; // prettier-ignore

/** 600 notes: every object with every aspect, over twenty months, by twenty people. */
export const NOTES: readonly Note[] = SUBJECTS.flatMap(([own], s) =>
  ASPECTS.map((aspect, a) => ({
    text: aspect.note(own, aspect.value(s * 31 + a * 17)),
    // Each object has one note per month and one per person.
    at: new Date(BEGAN + ((a * 7 + s) % 20) * 30.5 * DAY_MS + s * 3_600_000),
    by: PEOPLE[(a + s * 3) % 20] ?? '',
  })),
);

/** Returns 300 questions of four kinds, 75 of each, spread over all notes. */
export function recallQuestions(): readonly RecallQuestion[] {
  return Array.from({ length: EACH }, (_, n) => {
    const [own, paraphrased, dated] = [(n * 8) % 600, (n * 8 + 3) % 600, (n * 8 + 5) % 600];
    return [
      { kind: 'own' as const, text: partsOf(own).aspect.own(partsOf(own).subject[0]), answer: own },
      {
        kind: 'paraphrase' as const,
        text: partsOf(paraphrased).aspect.other(partsOf(paraphrased).subject[1]),
        answer: paraphrased,
      },
      { kind: 'when-who' as const, text: asked(dated, n), answer: dated },
      { kind: 'none' as const, text: unanswerable(n), answer: null },
    ];
  }).flat();
}

function partsOf(note: number): { readonly subject: readonly [string, string]; readonly aspect: Aspect } {
  const [subject, aspect] = [SUBJECTS[Math.floor(note / ASPECTS.length)], ASPECTS[note % ASPECTS.length]];
  if (subject === undefined || aspect === undefined) throw new Error(`there is no note ${note}`);
  return { subject, aspect };
}

function asked(note: number, n: number): string {
  const { at, by } = NOTES[note] ?? { at: new Date(0), by: '' };
  const thing = partsOf(note).subject[0];
  const month = `${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
  if (n % 3 === 0) return `What did ${by} note about the ${thing}?`;
  if (n % 3 === 1) return `What did we write down about the ${thing} in ${month}?`;
  return `What was noted on ${at.getUTCDate()} ${month} about the ${thing}?`;
}

function unanswerable(n: number): string {
  if (n % 2 === 0) return ASPECTS[n % ASPECTS.length]?.own(NOT_THERE[n % NOT_THERE.length] ?? '') ?? '';
  return NEVER_NOTED[n % NEVER_NOTED.length]?.(SUBJECTS[n % SUBJECTS.length]?.[0] ?? '') ?? '';
}

/** Groups of phrases with the same meaning, as a well-trained model would know them. */
export const MEANINGS: readonly (readonly string[])[] = [...SUBJECTS, ...ASPECTS.map(({ keys }) => keys)].map(
  (phrases) => phrases.map((phrase) => phrase.toLowerCase()),
);
