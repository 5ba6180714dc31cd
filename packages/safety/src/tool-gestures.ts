import type { Classification } from '@aish/contracts/safety';
import { answer, toolWords } from './tool-names.js';
import type { Judged } from './tool-spans.js';

/** Tools that drive a browser or a screen. */
const DRIVES =
  /browser|playwright|puppeteer|selenium|webdriver|chrome|stagehand|cdp|(^|_)page(_|$)|computer|screen|desktop_ui|mobile/i;
/** Look, or write into fields that nobody has sent yet. */
const HARMLESS =
  /^(navigate|goto|go|open|new|tabs?|list|select|resize|hover|scroll|back|forward|reload|refresh|snapshot|screenshot|wait|focus|zoom|mouse|move|emulate|viewport|size|type|fill|press|key|keys|input|form|check|uncheck|drag|drop|upload|close|install)$/;
const PRESSES = /^(click|dblclick|doubleclick|tap|dialog|confirm|submit)$/;
/** What a button says that ends, replaces or sends off something. */
const FATEFUL =
  /\b(delete|remove|destroy|erase|wipe|reset|drop|purge|discard|clear all|empty trash|deactivate|close account|cancel (subscription|order|plan)|unsubscribe|submit|confirm|pay|buy|order now|place order|purchase|checkout|save|overwrite|replace|update|apply|merge|publish|revoke|terminate|shut ?down|power ?off|reboot|restart|stop|kill|format|uninstall|disable|archive|trash|yes)\b|löschen|entfernen|papierkorb/i;
const WORDS_KEYS =
  /^(element|selector|text|name|description|label|target|button|role|aria_?label|title|locator|xpath|intent|instruction|action)$/i;

/**
 * What is done to a page: looking, going elsewhere and writing into a field change nothing that lasts; pressing does what
 * the words on the button say. Null when the tool drives no browser.
 */
export function judgeGesture(call: {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}): Judged | null {
  if (!DRIVES.test(call.name)) return null;
  const words = toolWords(call.name).filter((word) => !/^(browser|page|puppeteer|playwright|chrome)$/.test(word));
  const verb = words.find((word) => PRESSES.test(word) || HARMLESS.test(word));
  if (verb === undefined) return null;
  const fateful = Object.entries(call.args).find(
    ([key, value]) =>
      WORDS_KEYS.test(key) && typeof value === 'string' && FATEFUL.test(value.replaceAll(/[_#.-]/g, ' ')),
  );
  // In a list of mails or files this key deletes; in a field it deletes a letter.
  if (
    words.some((word) => /^(press|key|keys|hotkey)$/.test(word)) &&
    Object.values(call.args).some((value) => typeof value === 'string' && /(^|\+)(delete|del)$/i.test(value))
  )
    return judged('unknown', 'nothing says what the key deletes');
  if (!words.some((word) => PRESSES.test(word))) return judgeSent(call.args, fateful === undefined);
  if (fateful !== undefined)
    return {
      ...judged('destructive', `it presses what says: ${String(fateful[1]).slice(0, 60)}`),
      guilt: { path: [fateful[0]] },
    };
  if (words.includes('submit')) return judged('destructive', 'it submits a form');
  if (words.includes('dialog'))
    return call.args['accept'] === true
      ? { ...judged('destructive', 'it accepts a dialog of the page'), guilt: { path: ['accept'], named: true } }
      : answer('safe', null, null);
  return Object.entries(call.args).some(([key, value]) => WORDS_KEYS.test(key) && typeof value === 'string')
    ? answer('safe', null, null)
    : { ...judged('unknown', 'nothing says what is pressed') };
}

/** Text that is written and sent with Enter: a search, or a form. */
function judgeSent(args: Readonly<Record<string, unknown>>, isPlain: boolean): Judged {
  const sends = args['submit'] === true || args['pressEnter'] === true;
  const isSearch = Object.values(args).some(
    (value) => typeof value === 'string' && /search|query|find|filter|suche/i.test(value),
  );
  if (sends && !isSearch && isPlain)
    return {
      ...judged('destructive', 'it submits a form'),
      guilt: { path: [args['submit'] === true ? 'submit' : 'pressEnter'], named: true },
    };
  return answer('safe', null, null);
}

const judged = (verdict: Classification['verdict'], reason: string): Classification =>
  answer(verdict, 'tool.gesture', reason);
