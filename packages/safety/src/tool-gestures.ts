import type { Classification } from '@aish/contracts/safety';
import { answer, toolWords } from './tool-names.js';
import type { Judged } from './tool-spans.js';

/** Matches tools that control a browser or a screen. */
const DRIVES =
  /browser|playwright|puppeteer|selenium|webdriver|chrome|stagehand|cdp|(^|_)page(_|$)|computer|screen|desktop_ui|mobile/i;
/** Matches gestures that only look, or that write into fields that are not sent yet. */
const HARMLESS =
  /^(navigate|goto|go|open|new|tabs?|list|select|resize|hover|scroll|back|forward|reload|refresh|snapshot|screenshot|wait|focus|zoom|mouse|move|emulate|viewport|size|type|fill|press|key|keys|input|form|check|uncheck|drag|drop|upload|close|install)$/;
const PRESSES = /^(click|dblclick|doubleclick|tap|dialog|confirm|submit)$/;
/** Words on a button that ends, replaces or sends something. */
const FATEFUL =
  /\b(delete|remove|destroy|erase|wipe|reset|drop|purge|discard|clear all|empty trash|deactivate|close account|cancel (subscription|order|plan)|unsubscribe|submit|confirm|pay|buy|order now|place order|purchase|checkout|save|overwrite|replace|update|apply|merge|publish|revoke|terminate|shut ?down|power ?off|reboot|restart|stop|kill|format|uninstall|disable|archive|trash|yes)\b|löschen|entfernen|papierkorb/i;
const WORDS_KEYS =
  /^(element|selector|text|name|description|label|target|button|role|aria_?label|title|locator|xpath|intent|instruction|action)$/i;

/**
 * Judges a gesture on a page. Looking, going to another page and filling in a field change nothing permanently. A click
 * is judged by the words on the button. Null if the tool controls no browser.
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
  // In a list of mails or files this key deletes an item. In a field it only deletes a letter.
  if (
    words.some((word) => /^(press|key|keys|hotkey)$/.test(word)) &&
    Object.values(call.args).some((value) => typeof value === 'string' && /(^|\+)(delete|del)$/i.test(value))
  )
    return judged('unknown', 'it is unknown what the key deletes');
  if (!words.some((word) => PRESSES.test(word))) return judgeSent(call.args, fateful === undefined);
  if (fateful !== undefined)
    return {
      ...judged('destructive', `it presses a button labelled ${String(fateful[1]).slice(0, 60)}`),
      guilt: { path: [fateful[0]] },
    };
  if (words.includes('submit')) return judged('destructive', 'it submits a form');
  if (words.includes('dialog'))
    return call.args['accept'] === true
      ? { ...judged('destructive', 'it accepts a dialog of the page'), guilt: { path: ['accept'], named: true } }
      : answer('safe', null, null);
  return Object.entries(call.args).some(([key, value]) => WORDS_KEYS.test(key) && typeof value === 'string')
    ? answer('safe', null, null)
    : { ...judged('unknown', 'it is unknown what it presses') };
}

/** Judges text that is entered and sent with Enter, such as a search or a form. */
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
