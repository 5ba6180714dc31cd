import { describe, expect, it } from '@jest/globals';
import { classify } from '../classify.js';
import { knownReadOnly } from '../known-read-only.js';

const verdicts = (texts: readonly string[]): readonly string[] => texts.map((text) => classify(text).verdict);
const all = (verdict: string, texts: readonly string[]): readonly string[] => texts.map(() => verdict);

describe('evaluation in the shell', () => {
  it('classify finds commands in substitutions inside brackets and braces', () => {
    const texts = [
      'echo [$(rm x)]', 'echo a[$(rm x)]', 'ls [`rm x`]', '[ [$(rm -rf src)]', 'echo {a,$(rm x)}', 'echo{,$(rm x)}',
      'x=[$(pkill sleep)]', '[[ [$(rm x)] ]]', 'echo {a,[$(rm x)]}', 'echo @($(rm x)|b)', 'cat <<< [$(rm x)]',
      'for f in [$(rm x)]; do :; done', 'case [$(rm x)] in a) ;; esac', 'echo ${!x:-$(rm x)}',
    ]; // prettier-ignore
    expect(verdicts(texts)).toEqual(all('destructive', texts));
  });

  it('classify finds commands in a text that arithmetic evaluates', () => {
    const texts = [
      'echo $((x))', 'echo $[x]', '(( x > 3 ))', 'let x', 'let y=x+1', 'y=abc; echo ${y:x}', 'y=abc; echo ${y:0:x}',
      'b=(1 2); echo ${b[x]}', 'echo ${#b[x]}', 'b[x]=3', 'b=([x]=3)', 'for ((i=0;i<x;i++)); do :; done',
      '[[ x -eq 1 ]]', '[[ $x -gt 1 ]]', 'declare -i y; y=x', 'local -i y=x', 'echo $(( $x + 1 ))', 'y=x; echo $((y))',
      'printf -v y %s "$x"; echo $((y))', "bash -c '(( x ))'", 'set -- "$x"; echo $(($1))', 'echo ${@:x}',
      'f() { echo $(( $1 + 1 )); }; f "$x"', 'read y <<< "$x"; echo $((y))', 'y="z=$x"; echo $((y))', 'exit $((x))',
    ].map((text) => `x='a[$(rm f)]'; ${text}`); // prettier-ignore
    expect(verdicts(texts)).toEqual(all('destructive', texts));
  });

  it('classify finds commands in subscripts of variable names and in expanded prompts', () => {
    const texts = [
      "test -v 'a[$(rm f)]'", "[ -v 'a[$(rm f)]' ]", "[[ -v 'a[$(rm f)]' ]]", "printf -v 'a[$(rm f)]' x",
      "printf -v'a[$(rm f)]' x", "unset 'a[$(rm f)]'", "read 'a[$(rm f)]' <<< 1", "declare 'a[$(rm f)]=1'",
      "declare -n r='a[$(rm f)]'", "wait -n -p 'a[$(rm f)]'", "x='a[$(rm f)]'; echo ${!x}",
      `declare -A m; k='$(rm f)'; unset "m[$k]"`, "compgen -W '$(rm f)'", `p='$(rm f)'; echo "\${p@P}"`, `a=('$(rm f)'); echo "\${a[0]@P}"`,
    ]; // prettier-ignore
    expect(verdicts(texts)).toEqual(all('destructive', texts));
  });

  it('arithmetic is unknown if the text does not show its values', () => {
    const texts = [
      'n=$(cat f); echo $((n))', 'echo $(( $(cat f) + 1 ))', 'read n < f; echo $((n + 1))', 'declare -i n=$(cat f)',
      'while read n; do t=$((t + n)); done < f', 'mapfile -t a < f; echo $((a[0]))', 'n=$(<f); [[ $n -gt 3 ]]',
      'n=$(cat f); s=abc; echo ${s:n}', 'n=$(head -1 f); for ((i=0; i<n; i++)); do :; done', 'x=$(cat f); echo ${!x}',
      'x=$(cat f); echo "${x@P}"', 'n=$(cat f); if (( n > 3 )); then echo big; fi', 'read "$1"',
    ]; // prettier-ignore
    expect(verdicts(texts)).toEqual(all('unknown', texts));
  });

  it('nested loops are read with every combination of their values', () => {
    const texts = [
      'for c in rm ls; do for f in --help -rf; do $c $f /tank; done; done',
      'for a in 1 2 3 4; do for b in 1 2 3 4; do for c in 1 2 3 4; do ls $a$b$c; done; done; done',
    ];
    expect(verdicts(texts)).toEqual(['destructive', 'unknown']);
    expect(verdicts(['for a in 1 2; do for b in 1 2; do ls $a$b; done; done'])).toEqual(['safe']);
  });

  it('assignments, lists, substitutions and redirections in loops are read with every value', () => {
    const texts = [
      'for a in ls "rm -rf /srv/x"; do y=$a; $y; done', 'for a in ls rm; do y=($a); ${y[0]} x; done',
      'for a in l r; do for b in s m; do y=$a$b; $y -rf x; done; done', 'for a in -print -delete; do y=$a; find . $y; done',
      'a=ls; if true; then a=rm; fi; y=$a; $y x', 'y=; for a in ls rm; do y+=$a; $y x; done',
      "for c in ls 'rm -rf x'; do $c < <(date); done", "for c in ls 'rm -rf x'; do $c 2> >(cat); done",
      'for c in -print -delete; do find /srv -newer <(date) $c; done', 'for a in ls rm; do for b in $a; do $b -rf x; done; done',
      "for c in 'echo a' 'rm -rf x'; do bash -c \"$c\" < <(date); done", "for a in ls 'rm -rf x'; do { bash; } <<< \"$a\"; done",
      'for a in 1 2 3 4 5 6 rm; do y=$a; $y x; done',
    ]; // prettier-ignore
    expect(texts.filter((text) => classify(text).verdict === 'safe')).toEqual([]);
    expect(texts.filter(knownReadOnly)).toEqual([]);
    const harmless = ['for a in 1 2; do y=$a; cat /srv/$y; done', 'for a in x y; do for b in $a; do ls $b; done; done'];
    expect(harmless.filter((text) => !knownReadOnly(text))).toEqual([]);
  });

  it('a command with a server name or a PATH that is known only at run time is not read-only', () => {
    const texts = [
      'dig "$(cat x).example.org"', 'read PATH < /tmp/x; ls', 'for PATH in /tmp/x; do ls; done', 'printf -v PATH /tmp/x; ls', 'mapfile PATH < x; ls',
    ]; // prettier-ignore
    expect(texts.filter(knownReadOnly)).toEqual([]);
  });

  it('arithmetic with numbers passes', () => {
    const texts = [
      'i=0; i=$((i+1)); echo $i', 'for ((i=0; i<10; i++)); do echo $i; done', 'n=$(wc -l < f); echo $((n * 2))',
      's=$(date +%s); sleep 1; echo $(( $(date +%s) - s ))', 'echo $(( RANDOM % 6 + 1 ))', 'a=(1 2); echo ${a[1]} ${a[@]:1}',
      'n=$(ls | wc -l); (( n > 3 )) && echo many', 'for i in 1 2 3; do echo $((i * 2)); done', 'x=abc; echo ${x:1:2}',
      'declare -A m; m[a]=1; echo ${m[a]} ${!m[@]}', 'echo $((0x1F + 16#ff))', '[[ $(nproc) -gt 2 ]] && echo yes',
      '[[ $(stat -c %s f) -gt 0 ]] && echo x', 'for v in HOME PATH; do echo ${!v}; done', 'read -r line; echo "$line"',
      'printf -v pad %05d 3; echo $pad', 'unset x', 'echo {1..3} [a-z]*', 'test -v HOME',
    ]; // prettier-ignore
    expect(texts.filter((text) => classify(text).verdict !== 'safe')).toEqual([]);
    expect(texts.filter((text) => !knownReadOnly(text) && !/date|read|declare|unset/.test(text))).toEqual([]);
  });
});
