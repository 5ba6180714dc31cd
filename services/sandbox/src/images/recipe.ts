import type { ImageRecipe } from '@aish/contracts/images';
import { AishError } from '@aish/contracts/problems';

const OURS = 'aish';
const BY_DIGEST = /@sha256:[0-9a-f]{64}$/;
/** What would make containers other than the sandbox makes them, or needs files that there are none of. */
const REFUSED: Readonly<Record<string, string>> = {
  VOLUME: 'commands keep what they make in /workspace alone',
  ONBUILD: 'nothing is built on top of it',
  HEALTHCHECK: 'nobody asks a command how it is',
  ENTRYPOINT: 'the sandbox says what runs',
  CMD: 'the sandbox says what runs',
  USER: 'it is built as root, and commands are user 1000',
};

/**
 * The whole Dockerfile: on top of the sandbox's own image, and hardened as that is. Pure.
 * @throws AishError `invalid_body`: an image that is not pinned, or an instruction that has no place here.
 */
export function dockerfileOf({ packages, dockerfile }: ImageRecipe, base: string): string {
  const own = dockerfile.trim() === '' ? '' : checked(dockerfile);
  const install =
    packages.length === 0
      ? ''
      : `RUN apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')} && rm -rf /var/lib/apt/lists/*\n`;
  const begin = `FROM ${base}\nUSER root\n${install}`;
  const whole = hasStages(own) ? own.replace(LAST_FROM, begin) : `${begin}${own}\n`;
  return `${whole.trimEnd()}
USER root
RUN find / -xdev -perm /6000 -exec chmod a-s {} + && test -x /usr/local/lib/aish/bash && id 1000 > /dev/null
USER 1000:1000
WORKDIR /workspace
ENTRYPOINT []
CMD ["bash"]
`;
}

const LAST_FROM = /^[ \t]*FROM[ \t]+aish[ \t]*$\n?/im;

function hasStages(text: string): boolean {
  return /^[ \t]*FROM[ \t]/im.test(text);
}

function checked(text: string): string {
  const stages = new Set<string>();
  const lines = instructionsOf(text);
  const froms = lines.filter(({ word }) => word === 'FROM');
  const ours = froms.filter(({ rest }) => rest === OURS);
  if (froms.length > 0 && (ours.length !== 1 || froms.at(-1) !== ours[0])) {
    throw wrong('its last stage, and no other, must begin with FROM aish');
  }
  for (const { word, rest } of lines) {
    const why = REFUSED[word];
    if (why !== undefined) throw wrong(`${word} has no place in it: ${why}`);
    if (word === 'FROM' && rest !== OURS) stages.add(stageOf(rest, stages));
    const from = /--from=(\S+)/.exec(word === 'COPY' || word === 'RUN' ? rest : '')?.[1];
    if (from !== undefined) needPinned(from, stages);
    if (word === 'COPY' && from === undefined) throw wrong('COPY needs --from: there are no files beside it');
  }
  return text.replaceAll('\r', '').trimEnd();
}

function stageOf(rest: string, stages: ReadonlySet<string>): string {
  const [image = '', , name = ''] = rest.replace(/^--platform=\S+\s+/, '').split(/\s+/);
  needPinned(image, stages);
  return name.toLowerCase();
}

function needPinned(image: string, stages: ReadonlySet<string>): void {
  if (BY_DIGEST.test(image) || stages.has(image.toLowerCase()) || image === 'scratch') return;
  throw wrong(`${image} may change: name the image by its digest, as debian@sha256:…`);
}

/** Each instruction in one piece; comments left out. */
function instructionsOf(text: string): readonly { readonly word: string; readonly rest: string }[] {
  if (/^[ \t]*(RUN|COPY|ADD)\b.*<</im.test(text))
    throw wrong('here-documents are not understood; use && between commands');
  const joined = text
    .split(/\r?\n/)
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll(/\\[ \t]*\n/g, ' ');
  return joined
    .split('\n')
    .map((line) => /^\s*([A-Za-z]+)\s+(.*?)\s*$/.exec(line))
    .flatMap((found) => (found === null ? [] : [{ word: (found[1] ?? '').toUpperCase(), rest: found[2] ?? '' }]));
}

function wrong(why: string): AishError {
  return new AishError('invalid_body', `This Dockerfile cannot be used: ${why}`);
}
