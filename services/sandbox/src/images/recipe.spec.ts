import { describe, expect, it } from '@jest/globals';
import { dockerfileOf } from './recipe.js';

const DIGEST = `@sha256:${'a'.repeat(64)}`;
const of = (dockerfile: string, packages: readonly string[] = []) =>
  dockerfileOf({ packages: [...packages], dockerfile }, 'aish-sandbox:1');

describe('Dockerfiles of images', () => {
  it("the Dockerfile of an image starts from the sandbox's image and ends with its hardening", () => {
    const text = of('RUN touch /made', ['ffmpeg', 'mkvtoolnix']);
    expect(text).toMatch(
      /^FROM aish-sandbox:1\nUSER root\nRUN apt-get update .* ffmpeg mkvtoolnix .*\nRUN touch \/made\n/,
    );
    expect(text).toMatch(/perm \/6000 -exec chmod a-s[\s\S]*USER 1000:1000\nWORKDIR \/workspace\nENTRYPOINT \[\]\n/);
  });

  it('a recipe for an image may copy from other images that are pinned by digest', () => {
    const text = of(`FROM golang${DIGEST} AS made\nRUN go version\nFROM aish\nCOPY --from=made /x /usr/local/bin/x`, [
      'jq',
    ]);
    expect(text).toMatch(/^FROM golang@sha256:a+ AS made\nRUN go version\nFROM aish-sandbox:1\nUSER root\nRUN apt-get/);
    expect(of(`COPY --from=restic/restic${DIGEST} /usr/bin/restic /usr/bin/`)).toContain('COPY --from=restic');
  });

  it.each([
    ['FROM debian\nRUN true', 'must begin with FROM aish'],
    ['FROM debian:13.7-slim AS x\nFROM aish', 'name the image by its digest'],
    ['COPY --from=restic/restic:latest /a /b', 'name the image by its digest'],
    ['FROM aish\nFROM aish', 'must begin with FROM aish'],
    ['COPY tool /usr/bin/tool', 'no local files'],
    ['VOLUME /data', 'only in /workspace'],
    ['RUN true\nentrypoint ["sh"]', 'the sandbox says what runs'],
    ['RUN echo \\\n # a comment\n  x\nUSER 0', 'commands run as user 1000'],
    ['RUN <<EOF\nFROM x\nEOF', 'here-documents'],
  ])('a recipe for an image is refused with a reason: %s', (text, why) => {
    expect(() => of(text)).toThrow(why);
  });
});
