import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  webmanifest: 'application/manifest+json',
  svg: 'image/svg+xml',
  png: 'image/png',
};

/** This policy allows only our own files to run, to be drawn or to be framed. Text stays text (Trusted Types). */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types aish',
].join('; ');

export const WEB_HEADERS = {
  'content-security-policy': POLICY,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), clipboard-read=()',
  'x-robots-tag': 'noindex',
} as const;

export interface WebFile {
  readonly type: string;
  readonly body: Buffer;
  readonly packed: Buffer;
  readonly etag: string;
  /** Whether the file's name changes with its content. */
  readonly isLasting: boolean;
}

/** `npm run build` puts the page beside this service's bundle, or in its source folder. */
const PLACES = ['../../../../clients/web/dist/app', '../../../../../clients/web/dist/app'];

/** Holds all files of the page in memory. They take half a megabyte, and no request can name a file on disk. */
export class WebApp {
  private constructor(private readonly files: ReadonlyMap<string, WebFile>) {}

  /** Loads the files. Without a build of the page there are none. */
  static async load(folder?: string): Promise<WebApp> {
    const places =
      folder === undefined ? PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))) : [folder];
    for (const place of places) {
      const names = await readdir(place).catch(() => []);
      if (names.length === 0) continue;
      const files = await Promise.all(
        names.map(async (name) => [name, webFile(name, await readFile(join(place, name)))] as const),
      );
      return new WebApp(new Map(files));
    }
    return new WebApp(new Map());
  }

  /** Returns a file. The name '' stands for the page itself. */
  file(name: string): WebFile | null {
    return this.files.get(name === '' ? 'index.html' : name) ?? null;
  }
}

function webFile(name: string, body: Buffer): WebFile {
  return {
    type: TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    body,
    packed: gzipSync(body, { level: 9 }),
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    isLasting: /-[A-Z0-9]{8}\.(js|css)$/.test(name),
  };
}
