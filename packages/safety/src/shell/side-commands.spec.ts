import { describe, expect, it } from '@jest/globals';
import { classify } from '../classify.js';

const notOf = (verdict: string, texts: readonly string[]): readonly string[] =>
  texts.filter((text) => classify(text).verdict !== verdict);

describe('commands inside options, settings and addresses', () => {
  it('classify finds commands that git runs because of its options and settings', () => {
    const texts = [
      "git fetch --upload-pack='rm f' .", "git fetch --upload-pack 'rm f' . main", 'git ls-remote --upload-pack=rm f', 'git pull --upload-pa=rm f', "git push --receive='rm f' h:x",
      "git push --receive-pack='rm f' .", "git push --exec='rm f' . main", "git clone -u 'rm f' . d", "git grep -O'rm f' x",
      "git grep --open-files-in-pager='rm f' x", "git difftool --extcmd='rm f' HEAD", "git ls-remote 'ext::rm f'",
      "git -c protocol.ext.allow=always fetch 'ext::rm f'", "git archive --remote='ext::rm f' HEAD", "git -c alias.x='!rm f' x",
      "git -c tar.x.command='rm f' archive --format=x HEAD", "git -c trailer.x.cmd='rm f' interpret-trailers",
      "git -c core.pager='!rm f' log", 'git -c x.y=/w for-each-repo --config=x.y reset --hard', 'git reset --har',
      "git -c alias.x='reset --hard' x", 'git fetch origin +main:topic', 'git log --output=f',
    ]; // prettier-ignore
    expect(notOf('destructive', texts)).toEqual([]);
    const unknown = ["GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!rm f' git x", 'C=x git --config-env=alias.x=C x']; // prettier-ignore
    expect(notOf('unknown', unknown)).toEqual([]);
    const safe = ['git fetch --upload-pack=/usr/bin/git-upload-pack h:x', 'git -c core.pager=cat log', 'git -c color.ui=always diff', 'git fetch origin main:main', 'git clone h:x']; // prettier-ignore
    expect(notOf('safe', safe)).toEqual([]);
  });

  it('classify finds commands in options with an attached value', () => {
    const texts = ["env -S'rm f'", "env -iS'rm -rf d'", "env -vS'rm f'", "env --split='rm f'", "env -S 'rm f'", "su -c'rm f'", "ssh-agent sh -c 'rm f'"]; // prettier-ignore
    expect(notOf('destructive', texts)).toEqual([]);
    expect(notOf('safe', ["env -S'ls -l'", 'env -i ls', "su -c 'ls'", 'ssh-agent bash'])).toEqual([]);
  });

  it('classify finds commands that run even in a dry run of make', () => {
    const texts = ["make -n 'X=$(shell rm f)'", "X='$(shell rm f)' make -n all", "make -nf - <<< '$(shell rm f)'", "make -n -f - x <<< 'x: ; +rm f'"]; // prettier-ignore
    expect(notOf('destructive', texts)).toEqual([]);
    expect(notOf('safe', ['make -n', "make -n -f - x <<< 'x: ; rm f'", 'make -n X=y all'])).toEqual([]);
  });

  it('commands that destroy something through lists, redirections or socat are stopped', () => {
    const texts = ['rm $(<list)', 'kill $(<run/a.pid)', 'echo x 1<>f', '1<>f echo', 'exec 3<>f; echo x >&3', 'socat -u FILE:a CREATE:f', 'socat -u FILE:a OPEN:f,creat,trunc', 'socat - OPEN:f,unlink-early']; // prettier-ignore
    expect(notOf('destructive', texts)).toEqual([]);
    const safe = ['mkfifo p.fifo; exec 3<>p.fifo', 'socat - TCP:h:80', 'cat <>f', 'socat -u FILE:a STDOUT']; // prettier-ignore
    expect(notOf('safe', safe)).toEqual([]);
    expect(notOf('unknown', ['shopt -s extglob\n/usr/bin/+(r)m f', '/usr/bin/r[m] f'])).toEqual([]);
  });

  it('classify finds commands in variables that hold options, settings or files for a program', () => {
    const texts = [
      "TAR_OPTIONS='--checkpoint=1 --checkpoint-action=exec=rm' tar cf a.tar b", 'ZIPOPT=-m zip -q a.zip b', "PERL5DB='BEGIN { system(\"rm f\") }' perl -d -e 1",
      'GIT_TRACE2=/root/.bashrc git version', 'GIT_TRACE_PACKET=~/.bashrc git ls-remote', "env 'BASH_FUNC_ls%%=() { rm f; }' bash -c ls",
      "X='$(file >f)' make -n show", "make -n 'X=$(file >f)'", "make -n -f - <<< '$(file > f,x)'", 'git -c remote.origin.push=+main:a push', 'git -c remote.origin.mirror=true push',
    ]; // prettier-ignore
    expect(notOf('destructive', texts)).toEqual([]);
    const unknown = ['ENV=./a.txt dash -i', 'BASH_ENV=~/.bashrc bash -c :', 'bash --rcfile ./evilrc -i', 'bash --rcfile a.txt -i', 'bash --init-file=a.txt -i', 'MAKEFILES=<(x) make -n', 'RIPGREP_CONFIG_PATH=<(x) rg a', "bash /dev/fd/3 3<<< 'rm f'"]; // prettier-ignore
    expect(notOf('unknown', unknown)).toEqual([]);
    const safe = ['ENV=production npm start', 'bash --rcfile ~/.bashrc -i', "TAR_OPTIONS='--exclude=x -v' tar cf a.tar b", 'GIT_TRACE=1 git fetch', 'GIT_TRACE=/tmp/git.log git fetch', "make -n 'X=$(file <f)'", 'RIPGREP_CONFIG_PATH=~/.rg rg a', 'git -c remote.origin.push=a:b push']; // prettier-ignore
    expect(notOf('safe', safe)).toEqual([]);
  });

  it('writing to a file that git, curl or wget read by default, or that a program rewrites, is stopped', () => {
    const texts = [
      'git -c diff.external=rm diff', 'git config diff.external rm', 'git -c alias.x=reset x --hard', "git config url.'ext::rm x '.insteadOf foo", "git -c 'url.ext::rm x .insteadOf=foo' clone foo",
      'echo x >> .git/config', 'cp hook .git/hooks/pre-commit', "echo 'output = a' >> ~/.curlrc", 'HISTFILE=a.txt; set -o history', 'TAPE=a.txt tar c b.txt', "RSYNC_CONNECT_PROG='rm f' rsync host::x",
      "python3 -c 'import subprocess as s; s.call(\"find . -delete\".split())'", "awk --pretty-pri=a.txt '{ print }' b.txt", 'git init-db --separate-git-dir=x',
    ]; // prettier-ignore
    expect(notOf('destructive', texts)).toEqual([]);
    expect(notOf('unknown', ["PERL5OPT='-Mstrict;unlink(q(f))' perl -e 1"])).toEqual([]);
    const safe = [
      'git config core.editor vim', 'git config --global core.pager delta', 'git config credential.helper store', 'git -c core.pager= log', "git -c alias.x='log --oneline' x -5", 'git config url.git@x:.insteadOf https://x/',
      'cat .git/config', 'HISTFILE=/dev/null bash', 'PERL5OPT=-w perl a.pl', 'PERL5OPT=-MDevel::Cover prove', 'awk --posix 1 f', 'git init',
    ]; // prettier-ignore
    expect(notOf('safe', safe)).toEqual([]);
  });

  it('classify finds commands that the shell or an interpreter calls by itself', () => {
    const texts = [
      'command_not_found_handle() { rm f; }; nosuchprogram', 'f() { rm f; }; compgen -F f x', 'f() { rm f; }; complete -F f x',
      'x86_64 rm f', 'i386 rm f', 'env -a x rm f', "sed --expr='w f' a", 'sed --expr=wf', "echo 'BEGIN { system(\"rm f\") }' | awk -f -", "gawk -E /dev/stdin <<< 'BEGIN { system(\"rm f\") }'",
      "sqlite3 -init <(echo 'delete from t;') a.db 'select 1'", "python3 -c 'import subprocess as s; s.call(\"rm -f a\".split())'", "python3 -c 'import os; os.open(\"a\", os.O_TRUNC | os.O_WRONLY)'",
      `gawk 'BEGIN { f = "system"; @f("rm f") }'`, 'start-stop-daemon -K -p a.pid', 'start-stop-daemon --stop --pidfile a.pid', 'echo x <>f >&0',
    ]; // prettier-ignore
    expect(notOf('destructive', texts)).toEqual([]);
    const safe = ['x86_64 ls', 'env -a x ls', "sed --expr='s/a/b/' a", 'start-stop-daemon --status -p a.pid', 'cat <>f 2>&1', 'f() { ls; }; complete -F f x']; // prettier-ignore
    expect(notOf('safe', safe)).toEqual([]);
  });

  it('classify finds commands that another program starts, in every spelling', () => {
    const texts = [
      'env - rm f', 'env - -u X rm f', "jobs -x rm f", 'pidstat -e rm f', 'fd -Hx rm', 'fd -xrm', 'fd --exec=rm', 'fd --exec-batch=rm', "apply 'rm %1' f", "rush 'rm {}'", 'ts rm f',
      '/lib64/ld-linux-x86-64.so.2 --preload x /bin/rm f', "gdb -ex '!rm f' -batch", "gdb --batch --eval-command='shell rm f'", "dc -e '!rm f'", "echo '!rm f' | dc", "rpm --eval '%(rm f)'", "rpm -q --pipe 'rm f' x",
      "mapfile -tC 'rm f;' -c1 a < x", `tmux if-shell true 'run-shell "rm f"'`, "tmux new -d \\; run 'rm f'", "tmux -c 'rm f'", "LESS='+!rm f' less x", "man -H'rm f' ls", "make -E '$(shell rm f)'", "go test -exec 'rm f'", "mysql --pager='rm f' -e 'select 1'",
      "git -c core.alternateRefsCommand='rm f' fetch", "git -c submodule.x.update='!rm f' submodule update", 'echo ${x^$(rm f)}', 'echo ${x^^[$(rm f)]}', 'x=y; y=\'$(rm f)\'; echo "${!x@P}"',
    ]; // prettier-ignore
    expect(notOf('destructive', texts)).toEqual([]);
    const unknown = [
      'git -c core.hooksPath=/tmp/x commit -m x',
      'git -c include.path=/tmp/x log',
      'enable -f ./x.so x',
      'fc -s',
    ];
    expect(notOf('unknown', unknown)).toEqual([]);
    const safe = [
      'env - PATH=/bin ls',
      'jobs -l',
      'pidstat -u 1',
      'fd -H x',
      "ls | ts '%H'",
      "dc -e '2 3 + p'",
      'rpm -qa',
      'tmux ls',
      'tmux new -d top',
      'LESS=-R git log',
      'man -k x',
      'fc -l',
      'git -c core.hooksPath=/dev/null commit -m x',
      'echo ${x^^}',
    ];
    expect(notOf('safe', safe)).toEqual([]);
  });

  it('classify finds commands in abbreviated long options', () => {
    const texts = ["sort --compress-prog='rm f' x", "rsync --rs='rm f' a h:", 'rsync --remove-s a b', 'curl --req DELETE http://h', 'curl --trac f http://h', 'curl --cookie-j f http://h', 'curl --upload a http://h', "mosh --ssh='rm f' h", "rsync -ave 'rm f' a h:"]; // prettier-ignore
    expect(notOf('destructive', texts)).toEqual([]);
    const safe = [
      'curl --cookie a=b http://h',
      'curl --data x http://h',
      'rsync --partial a b',
      'cp --rec a b',
      'mosh h',
    ];
    expect(notOf('safe', safe)).toEqual([]);
  });
});
