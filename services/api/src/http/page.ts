/** Escapes text for HTML. Every page must pass foreign text through this function. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** These headers tell the browser to load, run and frame nothing, and to keep the link out of other servers' logs. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
} as const;

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 44rem; margin: 0 auto; padding: 1rem }
.halt { background: #b00020; color: #fff; padding: .4rem .8rem; font-weight: bold }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid #8888; padding: .6rem }
mark { background: #b00020; color: #fff }
button { font: inherit; padding: .6rem 1.2rem; margin: .3rem .5rem .3rem 0 }
textarea { font: inherit; width: 100%; box-sizing: border-box }
small { opacity: .7 }`;

/** Returns a page with one message. */
export function messagePage(title: string, text: string): string {
  return page(title, `<p>${escapeHtml(text)}</p>`);
}

/** Returns a complete page around `body`, which is HTML. */
export function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>aish ${escapeHtml(title)}</title><style>${STYLE}</style></head><body>
${body}
</body></html>
`;
}
