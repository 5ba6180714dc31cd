import type { Classification } from '@aish/contracts/safety';
import { isDestructiveWord } from './rules/destructive-words.js';

/** Verbs of tools that only look. */
const READS =
  /^(get|list|read|search|find|describe|show|view|fetch|query|lookup|look|check|count|status|stat|inspect|ping|echo|browse|explain|tail|head|grep|ls|cat|diff|compare|analy[sz]e|summari[sz]e|validate|verify|test|health|info|print|preview|estimate|calculate|compute|convert|translate|parse|resolve|recall|retrieve|watch|monitor|scan|ask|think|time|current|whoami|log|logs|metrics|export|download|is|has|can|select|screenshot|snapshot|hover|wait|history|version|help|discover|suggest|plan|dry|simulate|lint|render|extract|observe|open|navigate|access|display|report|trace|peek|sample|measure|detect|identify|tree|glob|stats|statistics|forecast|weather|usage|thinking|sequentialthinking|evaluate|docs|contents|details|summary|overview|graph|schema|structure|uptime|versions|inventory|topology|catalog|ask|answer|rank|filter|sort|match|lookup|profile|benchmark|audit|aggregate|collect|enumerate|console|fuzzy|autocomplete|traceroute|dig|nslookup|curl|probe|scrape|crawl|tabs|messages|requests|balance|price|convert|diagnose|troubleshoot|review|logcat|backlinks|outline|toc|where|who|what|when|how|calculate|readiness|chat|goto|visit|scroll|back|focus|hash|checksum|md5|sha256|ttl|blame|ps|pwd|uuid|encode|decode|base64|tokenize|embeddings?|similarity|score|classify|predict|transcribe|ocr|caption|define|rg|which|exists|length|size|keys|values|hgetall|hget|lrange|smembers|zrange|mget|strlen|dbsize|llen|df|du|top|free|iostat|lsblk|lsof|netstat|ifconfig|whois|geocode|directions|distance|elevation|timezone|now|today|date|agenda|freebusy|availability|quota|limits|cost|billing|rates?|quote|ticker|chart|news|headlines|feed|rss|trending|popular|latest|recent|walk|traverse|scrape|readme|changelog|license|releases|contributors|languages|diagnostics|definition|references|implementations|symbols|signature|completions|callers|callees|hierarchy|deps|dependencies|outdated|vulnerabilities|coverage|sum|average|multiply|divide|subtract|roll|sleep|delay|random|ls|show|pods|nodes|sensors?|temperature|location|presence|timeline|activity|heartbeat|pong|recommend|related|similar|rank|decide|reason|reflect|brainstorm|critique|normalize|highlight|paginate|page|chunk|vector|semantic|hybrid|whatis|apropos|man|tldr|manual|cheatsheet|reference|glossary|faq|guide|tutorial|example|examples|sample|samples|template|templates|humanize|slugify|regex|unshorten|expand|qr|dice|coin|health_?check|about|me)$/;
/** Verbs of tools that create something new. */
const CREATES =
  /^(create|add|new|insert|append|make|mkdir|build|register|start|post|comment|reply|clone|copy|save|remember|store|note|init|subscribe|tag|label|assign|invite|enqueue|publish|push|commit|upload|notify|send|draft|generate|import|join|star|bookmark|fork|open|branch|attach|connect|log|record|capture|pull|backup|schedule|train|duplicate|dump|snapshot|checkpoint|stage|stash|mount|ingest|embed|index|pin|follow|vote|react|queue|launch|spawn|forward|expose|enable|activate|share|produce|wake|wol|greet|up|fire|emit|ring|play|resume|unpause|greet|allocate|reserve|enroll|book)$/;
/** Verbs of tools that change, end or delete existing things. */
const CHANGES =
  /^(delete|del|remove|rm|rmdir|unlink|drop|destroy|purge|wipe|erase|truncate|clear|clean|cleanup|flush|reset|prune|kill|terminate|stop|halt|shutdown|poweroff|power|reboot|restart|reload|update|upsert|set|write|overwrite|edit|modify|patch|put|replace|rename|move|mv|change|alter|merge|rollback|restore|revert|revoke|disable|cancel|close|archive|trash|uninstall|unpublish|execute|exec|run|eval|shell|bash|terminal|command|deploy|undeploy|scale|resize|format|migrate|rotate|evict|drain|cordon|detach|disconnect|suspend|pause|forget|abort|expire|apply|turn|toggle|switch|control|call|invoke|unassign|unsubscribe|lock|unlock|ban|block|empty|discard|amend|rebase|force|install|upgrade|downgrade|transfer|transform|refactor|fill|click|press|type|drag|submit|sudo|ssh|kick|mute|void|refund|pay|buy|sell|withdraw|mark|sync|compact|vacuum|flash|reimage|provision|deprovision|promote|demote|failover|sign|approve|reject|dismiss|resolve|finalize|sql)$/;

/** Whether the arguments say what the tool does. Such a tool is judged by its arguments. */
export const isRunner = (name: string): boolean => {
  const words = toolWords(name);
  return (
    words.some((word) => RUNS.test(word)) ||
    /(query|sql|request|command|cmd|action|operation|api)$/.test(words.at(-1) ?? '')
  );
};

const RUNS =
  /^(run|exec|execute|eval|evaluate|query|sql|call|invoke|http|request|ssh|power|command|terminal|bash|sh|control|manage|admin|operate|perform|action|operation|dispatch|do|cli|kubectl|docker|git|process|console|script|code|python|use|generic|handle|service)$/;
/** Tools for which a run only creates something, such as a container or a test. */
const RUN_SAFELY =
  /^(tests?|lint|linter|build|check|checks|query|search|container|image|scan|benchmark|analysis|diagnostics|report|simulation|inference|prediction|evaluation|typecheck|audit|backup|healthcheck|audits)$/;

/** Verbs that only look, with any object. */
const LOOKS =
  /^(get|list|read|search|find|describe|show|view|fetch|query|lookup|check|count|inspect|explain|compare|validate|verify|preview|estimate|simulate|suggest|plan|dry|is|has|can|help|browse|lint|audit|monitor|watch|detect|identify|discover|analy[sz]e|summari[sz]e|resolve|wait|see|may|should|what|how|why|peek|test)$/;
/** Verbs at the end of a name. */
const ENDS =
  /^(delete|remove|restore|rollback|revert|prune|purge|clear|reset|wipe|drop|stop|kill|restart|update|edit|overwrite|replace|rename|move|close|cancel|expire|rotate|set|disable|destroy|erase|truncate|rewrite|archive|merge|apply|pop|amend|write|unmount|forget|shutdown|reboot|terminate|halt|evict|detach|off|uninstall|upgrade|downgrade|reload|flush|clean|cleanup|unlink|trash|move|patch|put|modify|resize|scale|migrate|suspend|pause|revoke|kick|ban|block|unset|empty|trim|lock|unlock|eject|power_off|resolve|cordon|drain)$/;

/** Returns the verdict from the words of a tool's name. */
export function judgeName(name: string): Classification['verdict'] {
  const words = toolWords(name);
  const [first = '', second = ''] = words;
  // The name comes from the methods of an HTTP API, as in `API-patch-page`.
  if (first === 'api' && /^(patch|put|delete|update)$/.test(second)) return 'destructive';
  // Every new rule of a firewall changes who has access.
  if (/firewall|iptables|nftables|(^|_)ufw/i.test(name) && CREATES.test(first)) return 'destructive';
  if (/(^|_)(or|and)_(update|replace|overwrite|delete|remove)(_|$)/.test(words.join('_'))) return 'destructive';
  if (/^save_(file|document|config|settings|state|page|note)$/.test(words.join('_'))) return 'destructive';
  if (/^(run|execute|start|trigger)$/.test(first) && RUN_SAFELY.test(words[1] ?? '') && words.length < 4) return 'safe';
  if (/^(checkout|switch)$/.test(words.filter((word) => word !== 'git')[0] ?? '') && /git|repo|branch/i.test(name))
    return 'safe';
  if (/^(db|database)$/.test(words[1] ?? '') && first === 'restore') return 'destructive';
  // The verb may be the last word, unless the first word only looks: `backup_restore`, `pods_delete`.
  const last = words.at(-1) ?? '';
  const isNoun =
    /^(create|make|add|new|post|publish|send|share)$/.test(first) && /^(archive|update|patch|set)$/.test(last);
  if (words.length > 1 && !LOOKS.test(first) && ENDS.test(last) && !isNoun) return 'destructive';
  if (/^resolve_(issue|incident|alert|thread|ticket|conversation|comment|discussion)/.test(words.join('_')))
    return 'destructive';
  if (words.length > 1 && READS.test(first) && !/^(open|test|log)$/.test(first)) return 'safe';
  if (
    /^(power|turn|switch|wake)_(on|up)(_|$)/.test(words.join('_')) ||
    /_(power|turn|switch)_on$/.test(words.join('_'))
  )
    return 'safe';
  // A reminder or a timer is new.
  if (/^set_(reminder|timer|alarm|countdown)$/.test(words.join('_'))) return 'safe';
  if (/^insert_(text|lines?|content|code|block|at|after|before)(_|$)/.test(words.join('_'))) return 'destructive';
  if (CHANGES.test(first) || isDestructiveWord(words.join('-'))) return 'destructive';
  if (READS.test(first) || CREATES.test(first))
    return words.slice(1).some((word) => /^(delete|remove|destroy|overwrite|replace|purge|wipe)$/.test(word))
      ? 'destructive'
      : 'safe';
  return judgeOtherWords(name, words);
}

/** Returns the verdict from a name whose first word says nothing. */
function judgeOtherWords(name: string, words: readonly string[]): Classification['verdict'] {
  // The verb may be the last word: `file_delete`, `container_list`.
  const last = words.at(-1) ?? '';
  if (CHANGES.test(last)) return 'destructive';
  // A brand may come first: `TwitterManagerUpdateProfile`.
  if (words.some((word) => /^(update|delete|remove|revoke|unlock|disable|change|modify|cancel)$/.test(word)))
    return 'destructive';
  if (READS.test(last) || CREATES.test(last)) return 'safe';
  if (words.some((word) => isDestructiveWord(word) || CHANGES.test(word))) return 'destructive';
  if (words.some((word) => READS.test(word))) return 'safe';
  // A name of things without a verb lists them: `lab__machines`.
  if (/[a-z]{3,}(?<!s)s$/.test(last)) return 'safe';
  return /^(translate|search|weather|time|calculator|math|thinking|fetch|wikipedia|docs|arxiv|maps|prometheus|loki|status)(__|[./:])/i.test(
    name,
  )
    ? 'safe'
    : 'unknown';
}

/**
 * Splits the name of a tool into words: `hertz__wol_machine` gives wol and machine, `k8s.deletePod` gives delete and
 * pod.
 */
export function toolWords(name: string): readonly string[] {
  const tool = name.includes('__') ? (name.split('__').at(-1) ?? name) : (name.split(/[./:]/).at(-1) ?? name);
  return tool
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_\s-]+/)
    .filter((word) => word !== '');
}

/** Makes the answer of a rule about a tool call. */
export function answer(
  verdict: Classification['verdict'],
  ruleId: string | null,
  reason: string | null,
): Classification {
  return { verdict, reason, ruleId, span: null, by: 'rule' };
}
