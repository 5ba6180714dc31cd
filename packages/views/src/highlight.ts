import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import lua from 'highlight.js/lib/languages/lua';
import makefile from 'highlight.js/lib/languages/makefile';
import nginx from 'highlight.js/lib/languages/nginx';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import shell from 'highlight.js/lib/languages/shell';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { span, type Span, type Style } from './line.js';

const LANGUAGES = {
  bash,
  c,
  cpp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  lua,
  makefile,
  nginx,
  python,
  rust,
  shell,
  sql,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

/** Maximum characters of highlighted code. Highlighting longer code would cause a pause. */
const MAX_CHARS = 20_000;

/** Styles by the first part of a highlight.js class, without `hljs-`. */
const STYLES: Readonly<Record<string, Style>> = {
  keyword: 'keyword',
  built_in: 'name',
  literal: 'number',
  number: 'number',
  string: 'string',
  regexp: 'string',
  comment: 'comment',
  quote: 'comment',
  meta: 'comment',
  title: 'name',
  section: 'name',
  attr: 'name',
  attribute: 'name',
  name: 'keyword',
  tag: 'keyword',
  type: 'keyword',
  variable: 'name',
  selector: 'keyword',
  addition: 'good',
  deletion: 'bad',
  symbol: 'number',
};

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
};

/** Returns highlighted code, or all of it in `fallback` if the language is unknown. Spans may contain line breaks. */
export function highlight(code: string, language: string, fallback: Style = 'plain'): Span[] {
  const known = hljs.getLanguage(language.toLowerCase());
  if (known === undefined || code.length > MAX_CHARS) return [span(code, fallback)];
  const { value } = hljs.highlight(code, { language: language.toLowerCase(), ignoreIllegals: true });
  return spansOf(value);
}

/** Parses highlight.js output: text with entities, and nested `<span class="hljs-x">`. */
function spansOf(html: string): Span[] {
  const spans: Span[] = [];
  const styles: Style[] = ['plain'];
  for (const [part, opening] of html.matchAll(/<span class="([^"]*)">|<\/span>|[^<]+/g)) {
    if (opening !== undefined) styles.push(styleOf(opening) ?? styles.at(-1) ?? 'plain');
    else if (part === '</span>') styles.pop();
    else spans.push(span(decode(part), styles.at(-1) ?? 'plain'));
  }
  return spans;
}

function styleOf(classes: string): Style | undefined {
  const [name = ''] = classes.replace('hljs-', '').split(/[ -]/);
  return STYLES[name];
}

function decode(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity] ?? entity);
}
