import { describe, expect, it } from '@jest/globals';
import { classify } from '../classify.js';
import { knownReadOnly } from '../known-read-only.js';

const safe = (texts: readonly string[]): readonly string[] => texts.filter((text) => classify(text).verdict === 'safe');

describe('code between quotes that are not really quotes', () => {
  it('code is found between quotes that belong to a pattern', () => {
    const texts = [
      String.raw`awk '/"/ {system("rm f")} /"/' x`, String.raw`awk '/"/{print > "f"}/"/' x`, String.raw`awk '/don'\''t/{system("rm f")}/don'\''t/' x`,
      String.raw`node -e '/"/; require("fs").rmSync("f"); /"/'`, String.raw`node -e 'x=/a\//; require("fs").rmSync("f")'`, String.raw`node -e 'x=/[/]"/; require("fs").rmSync("f"); y=/"/'`,
      String.raw`perl -e 'm/"/; unlink "f"; m/"/'`, String.raw`perl -e 'split /"/; unlink "f"; split /"/'`, String.raw`ruby -e 'x=/"/; File.delete("f"); y=/"/'`,
    ]; // prettier-ignore
    expect(safe(texts)).toEqual([]);
  });

  it('code is found between quotes in quoting operators, here-documents and long texts', () => {
    const texts = [
      String.raw`perl -e 'q("); unlink "f"; q(")'`, String.raw`perl -e 's{"}{}; unlink "f"; s{"}{}'`, String.raw`perl -e 'tr/"//; unlink "f"; y/"//'`,
      'perl -e \'$x = <<E;\n"\nE\nunlink "f"; $y = q(");\'', 'perl -e \'=pod\n"\n=cut\nunlink "f"; "\'', String.raw`ruby -e '%q("); File.delete("f"); %q(")'`, String.raw`ruby -e 'x=?"; File.delete("f"); y=?"'`,
      String.raw`lua -e 'x=[["]]; os.remove("f"); y=[["]]'`, String.raw`lua -e 'x=1 --[[ " ]] os.remove("f") -- "'`, 'php -r \'x(<<<E\n"\nE\n); unlink("f"); "";\'',
    ]; // prettier-ignore
    expect(safe(texts)).toEqual([]);
  });

  it('code is found between quotes that belong to a comment', () => {
    const texts = [
      'awk \'x=1#"\n{system("rm f")}#"\' x',
      'python3 -c \'x=1#"\nimport os; os.remove("f")#"\'',
      'perl -e \'$x=1#"\n;unlink "f";#"\'',
    ];
    expect(safe(texts)).toEqual([]);
  });

  it('code is found between quotes in each dialect of SQL', () => {
    const texts = [
      'mysql -e "select 5--1; drop table x"', 'mysql -e "select 1 #\'\n; drop table x; #\'"', String.raw`mysql -e "select 'a\\'', 1; drop table x; select 'b'"`,
      String.raw`mysql -e "select \"'\"; drop table x; select \"'\""`, String.raw`psql -c "select \$\$'\$\$; drop table x; select \$\$'\$\$"`, String.raw`psql -c "select E'\\''; drop table x; select '"`,
      String.raw`psql -c "select 1 /* /* */ ' */; drop table x; select '1'"`, `sqlite3 a.db "select [']; drop table x; select [']"`,
    ]; // prettier-ignore
    expect(safe(texts)).toEqual([]);
  });

  it('words inside real quotes are not code', () => {
    const texts = [
      `awk '/system/ {print}' f`, `node -e 'console.log("fs.rmSync(x)", 4 / 2)'`, 'node -e \'`${1 + 1} unlink(x)`\'',
      `perl -ne 'print if /unlink "x"/' f`, `ruby -e 'puts "File.delete #{1}"'`, `psql -c "select '-- drop table x'"`, `mysql -e "select 'it''s'; select 2"`, `python3 -c 'print(f"{1} os.remove")'`,
    ]; // prettier-ignore
    expect(texts.filter((text) => classify(text).verdict !== 'safe')).toEqual([]);
    expect(knownReadOnly(`awk '/system/ {print}' f`)).toBe(true);
  });
});

describe('code in strings', () => {
  it('code that a string interpolates counts as code that runs', () => {
    const texts = [
      'node -e \'`${require("fs").rmSync("f")}`\'', 'node -e \'x=`${"`"}`; require("fs").rmSync("f"); y="`"\'', `ruby -e 'puts "#{File.delete("f")}"'`, 'ruby -e \'puts "#{`rm f`}"\'',
      `python3 -c 'import os; print(f"{os.remove(chr(102))}")'`, `perl -e 'print "@{[unlink q(f)]}"'`, `pwsh -c 'echo "$(Remove-Item f)"'`,
    ]; // prettier-ignore
    expect(safe(texts)).toEqual([]);
  });

  it('a string that names the called function counts as a call', () => {
    const texts = [
      `node -e 'require("fs")["rmSync"]("f")'`, `node -e 'require("fs")["rm"+"Sync"]("f")'`, `python3 -c 'import os; os.__dict__["remove"]("f")'`, `lua -e 'os["remove"]("f")'`,
      `php -r '$f="unlink"; $f("f");'`, `perl -e 'exec{"rm"}"ls","f"'`, `perl -e 'CORE::unlink "f"'`, `ruby -e 'open("|rm f")'`, `ruby -e 'open("f","w")'`,
    ]; // prettier-ignore
    expect(safe(texts)).toEqual([]);
  });
});

describe('awk output to a file', () => {
  it('awk output to a file is found at every line break and after a comparison', () => {
    const texts = [
      `awk '{print (1>2); print > "f"}' x`,
      'awk \'{ print "a" ,\n"b" > "f" }\' x',
      'awk \'{print "x" \\\n> "f"}\' x',
      `awk '{print(1)>"f"}' x`,
      'awk \'BEGIN { system \\\n("rm f") }\'',
    ];
    expect(safe(texts)).toEqual([]);
    expect(safe([`awk '{print (1 > 2)}' x`, `awk '$1 > 5 {print}' f`, `awk '{print > "/dev/stderr"}' f`])).toHaveLength(
      3,
    );
  });
});

describe('a long here-document', () => {
  const body = '[x](y) * $HOME & "more" > `less`; {a|b}\n'.repeat(3_000).replaceAll('`', "'");

  it.each([
    ["cat > page.md <<'EOF'", 'EOF', 'destructive'],
    ['cat <<EOF > page.md', 'EOF', 'destructive'],
    ['cat >> page.md <<-"END"', '\tEND', 'safe'],
    ["tee -a page.md <<'EOF'", 'EOF', 'safe'],
    ["mkdir -p a\ncat > page.md <<'EOF'", 'EOF\nls', 'destructive'],
  ])('a long here-document is data if %s only writes it to a file', (head, end, verdict) => {
    expect(classify(`${head}\n${body}${end}\n`).verdict).toBe(verdict);
  });

  it.each([
    ['bash <<EOF', 'EOF'],
    ["python3 - <<'EOF'", 'EOF'],
    ['cat <<EOF | bash', 'EOF'],
    ['cat > page.md <<EOF\n$(date)', 'EOF'],
  ])('a long here-document is too much to read if %s runs it', (head, end) => {
    expect(classify(`${head}\n${body}${end}\n`)).toMatchObject({ verdict: 'unknown', ruleId: 'unresolved.too-long' });
  });

  it('a long here-document is not data if a later command runs the file', () => {
    const found = classify(`cat > s.sh <<'EOF'\n${body}rm -rf build\nEOF\nbash s.sh\n`);
    expect([found.ruleId, ...(found.others ?? []).map(({ ruleId }) => ruleId)]).toContain('unresolved.too-long');
  });

  it('a long here-document hides no command after it', () => {
    const found = classify(`cat >> page.md <<'EOF'\n${body}EOF\nrm -rf build\n`);
    expect(found).toMatchObject({ verdict: 'destructive', ruleId: 'files.remove' });
  });

  it('a text with many here-documents, real or not, is read within the time limit', () => {
    const before = performance.now();
    classify(`cat > f <<EOF\n`.repeat(4_000));
    classify(`x='\ncat > f <<'EOF'\n'${';a'.repeat(30_000)}\nEOF\n`);
    expect(performance.now() - before).toBeLessThan(1_000);
  });
});
