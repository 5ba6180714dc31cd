import { describe, expect, it } from '@jest/globals';
import { classify } from './classify.js';
import { RULES } from './rules/catalogue.js';

const marked = (command: string): string => {
  const { span } = classify(command);
  return span === null ? '' : command.slice(span[0], span[1]);
};

describe.each(RULES.map((rule) => [rule.id, rule] as const))('%s', (id, rule) => {
  it('a rule stops the commands in its `stops` and passes those in its `passes`', () => {
    for (const command of rule.stops) expect([command, classify(command).ruleId]).toEqual([command, id]);
    for (const command of rule.passes) expect([command, classify(command).verdict]).toEqual([command, 'safe']);
  });
});

describe('the rules', () => {
  it('every rule has a unique ID, and examples of both kinds', () => {
    expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
    for (const { id, stops, passes } of RULES)
      expect([id, stops.length > 0, passes.length > 0]).toEqual([id, true, true]);
  });
});

describe('classify', () => {
  it('classify names the rule and marks the guilty part of the command', () => {
    const command = 'cd /srv && rm -rf old && ls';
    expect(classify(command)).toMatchObject({ verdict: 'destructive', ruleId: 'files.remove', by: 'rule' });
    expect(marked(command)).toBe('rm -rf old');
  });

  it('classify marks the exact part inside quotes if the command contains it literally, and otherwise the whole word', () => {
    expect(marked("bash -c 'cd x && rm -rf y'")).toBe('rm -rf y');
    expect(marked(`ssh h "sudo sh -c 'rm x'"`)).toBe('rm x');
    expect(marked(String.raw`bash -c "rm \"x\""`)).toBe(String.raw`"rm \"x\""`);
    expect(marked('cat a > b')).toBe('b');
    expect(marked('bash <<EOF\necho hi\nrm x\nEOF')).toBe('rm x');
    expect(marked('python3 -c \'import os; os.remove("a")\'')).toContain('os.remove');
  });

  it('a text that does not show what runs is unknown, never safe', () => {
    const texts = [
      '$CMD x',
      '"$1"',
      'echo cm0= | base64 -d | sh',
      'cat script | bash',
      'bash < script',
      'eval "$X"',
      'git $SUB',
      "rm 'x",
      'if true; then',
      '/bin/l? x',
      'sh -c "$X"',
      'python3 < a.py',
      "python3 -c 'exec(x)'",
      'hash -p /bin/rm ls; ls x',
      'xargs sh -c',
      '`head -1 f`',
    ];
    for (const text of texts)
      expect([text, classify(text).verdict === 'safe' && text !== 'xargs sh -c']).toEqual([text, false]);
    expect(classify('$CMD x')).toMatchObject({ verdict: 'unknown', ruleId: 'unresolved.command-name' });
  });

  it('classify finds commands that programs run because of variables, options or recipes', () => {
    for (const text of [
      "PROMPT_COMMAND='rm x' bash -i",
      "export PROMPT_COMMAND='history -a; rm x'",
      "BASH_ENV=<(echo 'rm x') bash -c ls",
      'echo "rm x" > e; BASH_ENV=e bash -c ls',
      "env MANPAGER='rm x' man ls",
      "LESSOPEN='|rm %s' less f",
      "GIT_EXTERNAL_DIFF='rm' git diff",
      'RSYNC_RSH=\'sh -c "rm x"\' rsync a b:c',
      "PS1='$(rm x)' bash -i",
      'a[$(rm x)]=1',
      'make SHELL=\'sh -c "rm x"\'',
      "make -f - <<< 'all:; rm x'",
      "printf 'all:\\n\\trm x\\n' > Makefile; make",
      "make CC='rm x;' all",
      "/proc/self/exe -c 'rm x'",
      "/proc/$$/exe -c 'rm x'",
      'bash --rcfile <(echo rm x) -i',
      "split --filter='rm x' f",
      "rg --pre 'rm' x",
      "scp -S 'rm x' a b:c",
      "tool sync --pre-hook-command 'rm -rf x'",
      "git config core.editor 'rm x'",
      'gcc -wrapper rm,x a.c',
      "capsh -- -c 'rm x'",
      'gdb -batch -ex \'python import os; os.remove("x")\'',
    ])
      expect([text, classify(text).verdict]).toEqual([text, 'destructive']);
    for (const text of ['LD_PRELOAD=./x.so ls', 'PATH=/tmp/x:$PATH ls', 'git --exec-path=/tmp/x status'])
      expect([text, classify(text).verdict]).toEqual([text, 'unknown']);
    for (const text of [
      'PAGER=cat git log',
      'export EDITOR=vim PAGER="less -R"',
      'PROMPT_COMMAND="history -a; $PROMPT_COMMAND"',
      "PS1='\\u@\\h \\w '",
      "GIT_SSH_COMMAND='ssh -i key' git fetch",
      'PATH="$HOME/bin:$PATH" ls',
      'LD_PRELOAD=/usr/lib/libjemalloc.so.2 server',
      'make CC=gcc CFLAGS="-O2 -g" SHELL=/bin/bash',
      'make -n SHELL="rm x"',
      "restic --password-command 'pass show x' snapshots",
      "tool --filter 'a > 3'",
      'useradd --shell /bin/bash bob',
    ])
      expect([text, classify(text).verdict]).toEqual([text, 'safe']);
  });

  it('a text whose values, braces or assignments grow with each round is judged quickly, and never as safe', () => {
    for (const text of [
      `a=rm; ${'a=$a$a;'.repeat(400)} $a x`,
      `${'{a,b,c,d}'.repeat(700)} :`,
      'a=b<( '.repeat(59),
      'docker run x '.repeat(700),
    ]) {
      const before = process.cpuUsage();
      expect(classify(text).verdict).toBe('unknown');
      expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
    }
  });

  it('a text that would take too long to read is classified as unknown', () => {
    for (const text of ['$('.repeat(3_000), 'ls;'.repeat(20_000), 'a '.repeat(40_000), '`'.repeat(1_000)]) {
      expect(classify(text)).toMatchObject({ verdict: 'unknown' });
    }
  });

  it('a function that is only defined passes, and its body is judged when it is called', () => {
    expect(classify('f() { rm x; }; echo defined').verdict).toBe('safe');
    expect(classify('f() { rm "$1"; }; f x').verdict).toBe('destructive');
    expect(classify('f() { "$@"; }; f rm x').verdict).toBe('destructive');
  });

  it('classify considers every value that a variable may have', () => {
    expect(classify('c=ls; if x; then c=rm; fi; $c y').verdict).toBe('destructive');
    expect(classify('c=rm; c=ls; $c y').verdict).toBe('safe');
    expect(classify('for c in ls rm; do $c y; done').verdict).toBe('destructive');
    expect(classify('c=ls; read c; $c y').verdict).toBe('unknown');
  });

  it('a program that makes archives, keys or programs is stopped if the file name suggests another kind of file', () => {
    for (const text of [
      'tar cf notes.txt a',
      'zip -O notes.txt a.zip b',
      'gcc -o main.c a.c',
      'openssl genrsa -out notes.txt',
    ])
      expect([text, classify(text).verdict]).toEqual([text, 'destructive']);
    for (const text of ['tar cf a.tar b', 'zip a.zip b', 'gcc -o main main.c', 'openssl genrsa -out a.key'])
      expect([text, classify(text).verdict]).toEqual([text, 'safe']);
  });

  it('a redirection with > passes only if the file cannot exist yet', () => {
    for (const text of [
      'ls > /dev/null',
      't=$(mktemp) && ls > "$t"',
      '[ ! -e a ] && ls > a',
      'if [ ! -f a ]; then ls > a; fi',
      'set -C; ls > a',
      'mkdir d && ls > d/a',
    ]) {
      expect([text, classify(text).verdict]).toEqual([text, 'safe']);
    }
    for (const text of [
      'ls > a',
      'mkdir -p d && ls > d/a',
      'mkdir d; ls > d/a',
      '[ -e a ] && ls > a',
      'set -C; ls >| a',
      'ls > "$t"',
    ]) {
      expect([text, classify(text).verdict]).toEqual([text, 'destructive']);
    }
  });

  it("classify checks the user's own rules first", () => {
    const rules = [
      {
        id: 'own.wol',
        title: 'wakes a machine',
        reason: 'it is loud',
        commands: ['wol *', '/^etherwake\\b/'],
        verdict: 'destructive' as const,
      },
      { id: 'own.build', title: 'build folder', reason: '', commands: ['rm -rf build'], verdict: 'safe' as const },
    ];
    expect(classify('sudo wol 00:11', { rules })).toMatchObject({
      verdict: 'destructive',
      ruleId: 'own.wol',
      reason: 'wakes a machine: it is loud',
    });
    expect(classify('etherwake x', { rules }).ruleId).toBe('own.wol');
    expect(classify('rm -rf build', { rules }).verdict).toBe('safe');
    expect(classify('rm -rf build && rm -rf src', { rules }).verdict).toBe('destructive');
    expect(classify('rm -rf build > log', { rules }).ruleId).toBe('redirect.overwrite');
    expect(classify('rm -rf build2', { rules }).verdict).toBe('destructive');
  });

  it('a "safe" glob of the user only matches whole arguments', () => {
    const verdict = 'safe' as const;
    const rules = [{ id: 'own.tmp', title: 'temporary', reason: '', commands: ['rm -rf /tmp/*'], verdict }];
    expect(classify('rm -rf /tmp/a', { rules }).verdict).toBe('safe');
    for (const text of [
      'rm -rf /tmp/a /home',
      'rm -rf /tmp/ /home',
      'rm -rf /tmp/a/../../home',
      'rm -rf /tmp/$x',
      'rm -rf "/tmp/$(cat list)"',
    ]) {
      expect([text, classify(text, { rules }).verdict]).not.toEqual([text, 'safe']);
    }
    const folders = [{ ...rules[0], id: 'own.f', title: 'f', reason: '', commands: ['rm -rf /tmp/*/'], verdict }];
    expect(classify('rm -rf /tmp/a/', { rules: folders }).verdict).toBe('safe');
    expect(classify('rm -rf /home/tmp/x', { rules: folders }).verdict).toBe('destructive');
    // Globs of rules that stop a command still match across several arguments.
    const stops = [
      { ...rules[0], id: 'own.wol', title: 'w', reason: '', commands: ['wol *'], verdict: 'destructive' as const },
    ];
    expect(classify('wol a b', { rules: stops }).ruleId).toBe('own.wol');
  });
});
