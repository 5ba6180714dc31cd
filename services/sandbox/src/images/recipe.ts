import type { ImageRecipe } from '@aish/contracts/images';
import { AishError } from '@aish/contracts/problems';

const OURS = 'aish';
const BY_DIGEST = /@sha256:[0-9a-f]{64}$/;
/**
 * Forbidden instructions. They would make containers different from the sandbox's own, or they need files of a build
 * context, and builds have no context.
 */
const REFUSED: Readonly<Record<string, string>> = {
  VOLUME: 'commands keep their files only in /workspace',
  ONBUILD: 'nothing is built on top of it',
  HEALTHCHECK: 'commands have no health check',
  ENTRYPOINT: 'the sandbox says what runs',
  CMD: 'the sandbox says what runs',
  USER: 'images are built as root, and commands run as user 1000',
};

/**
 * Returns the complete Dockerfile. The image builds on the sandbox's own image and is hardened in the same way.
 * @throws AishError `invalid_body` for an image without a digest, or for a forbidden instruction
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
    if (why !== undefined) throw wrong(`${word} is not allowed: ${why}`);
    if (word === 'FROM' && rest !== OURS) stages.add(stageOf(rest, stages));
    const from = /--from=(\S+)/.exec(word === 'COPY' || word === 'RUN' ? rest : '')?.[1];
    if (from !== undefined) needPinned(from, stages);
    if (word === 'COPY' && from === undefined) throw wrong('COPY needs --from, because there are no local files');
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
  throw wrong(`${image} may change: name the image by its digest, such as debian@sha256:…`);
}

/** Returns the instructions, each on one line and without comments. */
function instructionsOf(text: string): readonly { readonly word: string; readonly rest: string }[] {
  if (/^[ \t]*(RUN|COPY|ADD)\b.*<</im.test(text))
    throw wrong('here-documents are not supported; use && between commands');
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
