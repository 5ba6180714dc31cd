import { isDestructiveWord } from './destructive-words.js';
import { isQuiet } from './generic.rules.js';
import { isDestructiveStatement } from './http-statements.js';
import { READ_ONLY_TOOLS } from './read-only.js';
import type { Rule } from './rule.js';

/** Rules about the arguments of programs that no other rule knows, and about the files that they write. */
export const GENERIC_DATA: readonly Rule[] = [
  {
    id: 'generic.device-output',
    title: 'writes its output to a device',
    why: 'the data on the disk, tape or disc is overwritten',
    severity: 'critical',
    matches: (c) =>
      READ_ONLY_TOOLS.has(c.name)
        ? false
        : (c.words.find(
            (word, at) =>
              /^((--?(output|out|of|outfile|output-file)|-[a-z0-9]{0,3}o)=)?\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|st\d|nst\d|sr\d|mtd|mapper\/|disk\/|dm-|md|loop|nbd|rdisk)\w*/.test(
                word.text,
              ) &&
              (word.text.includes('=') ||
                /^(--?(output|out|outfile|output-file)|-[a-z0-9]{0,3}o)$/.test(c.args[at - 1] ?? '') ||
                (c.name === 'dump' && (c.args[at - 1] ?? '').endsWith('f'))),
          ) ?? false),
    stops: [
      'genisoimage -o /dev/sr0 x',
      'mbuffer -i x -o /dev/st0',
      'mytool --output=/dev/sdb x',
      'dump -0f /dev/st0 /',
    ],
    passes: ['lsblk -o NAME /dev/sda', 'mytool -o disk.img /dev/sdb', 'smartctl -a /dev/sda'],
  },
  {
    id: 'generic.statement',
    title: 'gives a program a statement that deletes or overwrites',
    why: 'no rule knows this program, but the text is a database statement, which cannot be undone',
    severity: 'high',
    matches: (c) =>
      isQuiet(c) || c.snippets.length > 0 // `database.statement` reads these as code.
        ? false
        : (c.words.find(
            (word, at) => isDestructiveStatement(word.text) && !ABOUT_TEXT.test(c.words[at - 1]?.text ?? ''),
          ) ?? false),
    stops: ['mydb-cli -q "DROP TABLE x"', 'surreal sql "REMOVE TABLE person"', "acme-sql --run 'delete from t'"],
    passes: [
      'mydb-cli -q "select 1"',
      'echo "DROP TABLE x"',
      'glab issue create --title "drop table x fails"',
      'grep "delete from" a.sql',
    ],
  },
  {
    id: 'generic.protocol',
    title: 'sends a server a command that deletes, overwrites or stops something',
    why: 'the server runs these commands, and what it deletes cannot be restored',
    severity: 'high',
    tools: [
      'nc', 'ncat', 'netcat', 'telnet', 'socat', 'openssl', 'hurl', 'websocat', 'hbase', 'zkCli.sh', 'zookeeper-shell', 'zookeeper-shell.sh', 'bluetoothctl', 'isql-fb', 'ldapmodify',
    ], // prettier-ignore
    matches: (c) =>
      c.input.kind === 'text' &&
      c.input.text
        .split(/[\r\n;]+/)
        .some(
          (line) =>
            /^(DELETE|PUT|PATCH) \S/.test(line) ||
            (isDestructiveWord(/^\s*([\w-]+)/.exec(line)?.[1] ?? '') && !/^\s*(quit|exit|logout|off)\b/i.test(line)) ||
            /^\s*(flush_all|flushall|flushdb|config set|set \S+ )/i.test(line) ||
            /"(method|action|command|cmd|op|type)"\s*:\s*"(delete|remove|destroy|reset|restart|reboot|shutdown|stop|clear|wipe)/i.test(
              line,
            ),
        ),
    stops: [
      'echo flush_all | nc localhost 11211',
      "printf 'DELETE /x HTTP/1.0\\r\\n\\r\\n' | nc h 80",
      'telnet h 23 <<< reboot',
      "printf 'DELETE /x HTTP/1.0\\r\\n\\r\\n' > /dev/tcp/h/80",
      'echo flush_all > /dev/udp/h/11211',
      'websocat ws://h <<< \'{"method":"delete"}\'',
    ],
    passes: [
      'echo stats | nc localhost 11211',
      "printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc h 80",
      'nc -zv h 22',
      'echo > /dev/tcp/h/22',
    ],
  },
];

/** Options whose value is text for people, such as a message. */
const ABOUT_TEXT = /^(-m|-t|-b|--(message|title|body|text|comment|description|notes?|subject|msg|label|name|prompt))$/;
