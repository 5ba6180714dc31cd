import type { Command } from '../shell/command.js';
import { table } from './table.js';

/** Options that make a formatter only show what it would change. */
const LOOKS =
  '--check|-check|--test|--check-only|--diff|-diff|--dry-run|--list-files|--verify|--validate|--stdin*|--no-write|--recheck|' +
  '--fail-on-change|--set-exit-if-changed, --write=false';

export const FORMATTERS = table`
rule    edit.formatter  low  rewrites source files
why     formatters and automatic fixes overwrite the files that they get

program black isort nixfmt elm-format stylua pyupgrade swiftformat
  unless  ${LOOKS}
  odd     ${namesFiles}  a lone dash is the standard input
  stops   black src/ ; black a.x
  passes  black --check . ; black --diff a.py ; black --check-only .
program rustfmt   unless ${LOOKS}, --emit=stdout   loses *   stops rustfmt src/main.rs   passes rustfmt --check src/main.rs ; rustfmt --emit stdout a.rs
program alejandra snakefmt tex-fmt nixpkgs-fmt yamlfmt mdformat sqlfmt oxfmt rufo scalafmt treefmt
  unless  ${LOOKS}
  loses   ...
  stops   alejandra . ; alejandra
  passes  alejandra --check .
program phpcbf   unless -i|-h|--config-show|--version   loses ...   stops phpcbf a.php   passes phpcbf -i
program djlint   loses --reformat   stops djlint . --reformat   passes djlint . --check
program cargo   unless ${LOOKS}   loses fmt|set-version|upgrade|sort|autoinherit, --fix   stops cargo fmt ; cargo clippy --fix   passes cargo fmt --check ; cargo build
program zig terraform tofu packer nomad deno
  unless  ${LOOKS}
  odd     ${formatsFiles}  a dash at the end is the standard input
  stops   zig fmt .
  passes  zig fmt --check . ; zig fmt -
program terragrunt   unless ${LOOKS}   loses hclfmt, hcl fmt|format   stops terragrunt hclfmt   passes terragrunt hclfmt --check
program dart
  unless  ${LOOKS}
  loses   format !-o|--output, fix --apply
  stops   dart format . ; dart fix --apply
  passes  dart format --output=none --set-exit-if-changed . ; dart format -o show . ; dart fix --dry-run
program just   unless ${LOOKS}   loses --fmt   stops just --fmt   passes just build
program autoflake docformatter google-java-format cmake-format stylish-haskell
  unless  ${LOOKS}
  loses   -i|--in-place|--replace
  stops   autoflake -i a.py
  passes  autoflake a.py ; autoflake -i --diff a.py
program ormolu fourmolu   unless ${LOOKS}   loses -i, --mode=inplace   stops ormolu -i a.hs ; ormolu --mode inplace a.hs   passes ormolu a.hs
program gofumpt fish_indent codespell   unless ${LOOKS}   loses -w|--write|--write-changes   stops gofumpt -w .   passes gofumpt -l .
program indent   unless -o|-st|--standard-output   loses *   stops indent a.c   passes indent -st a.c
program brittany   loses --write-mode=inplace   stops brittany --write-mode=inplace A.hs   passes brittany A.hs
program perltidy   loses -b   stops perltidy -b a.pl   passes perltidy a.pl
program latexindent   loses -w|-l   stops latexindent -w a.tex   passes latexindent a.tex
program shellharden   loses --replace   stops shellharden --replace a.sh   passes shellharden a.sh
program ktlint   loses -F|--format   stops ktlint -F   passes ktlint
program php-cs-fixer   unless ${LOOKS}   loses fix   stops php-cs-fixer fix src   passes php-cs-fixer fix --dry-run src
program rector   unless ${LOOKS}   loses process   stops rector process src   passes rector process src --dry-run
program rubocop   loses -a|-A|--autocorrect|--autocorrect-all|--auto-correct|--auto-gen-config   stops rubocop -a   passes rubocop
program sqlfluff   loses fix|format   stops sqlfluff fix a.sql   passes sqlfluff lint a.sql
program npm-check-updates ncu   loses -u|--upgrade   stops npm-check-updates -u   passes npm-check-updates
program buildifier   unless --mode=check|diff|print_if_changed, -mode=check, -mode=diff, -mode=print_if_changed   loses ...   stops buildifier BUILD   passes buildifier -mode=check BUILD ; buildifier --mode=diff BUILD
program astyle beautysh djhtml reorder-python-imports gdformat ktfmt fantomas csharpier nbstripout yamlfix blue leptosfmt htmlbeautifier typstfmt scalafix pint eclint
  unless  ${LOOKS}, --stdout|-t|--dryrun, eclint check|infer
  odd     ${namesFiles}  a lone dash is the standard input
  stops   astyle a.c ; beautysh a.sh ; fantomas a.fs ; nbstripout a.ipynb ; pint app
  passes  beautysh --check a.sh ; nbstripout --dry-run a.ipynb ; pint --test app ; astyle --dry-run a.c ; csharpier --check .
program ocamlformat lua-format swift-format jsonnetfmt dfmt gersemi muon typstyle toml-sort pg_format hindent cue-fmt nimpretty
  unless  ${LOOKS}
  loses   -i|--inplace|--in-place
  stops   ocamlformat -i a.ml ; pg_format --inplace a.sql
  passes  ocamlformat a.ml ; pg_format a.sql
program js-beautify css-beautify html-beautify   unless ${LOOKS}   loses -r|--replace   stops js-beautify -r a.js   passes js-beautify a.js
program opa alloy v erlfmt asmfmt hclfmt zprint erb-format typos fnlfmt
  unless  ${LOOKS}
  loses   -w|--write|--write-changes|--fix, -fw
  stops   opa fmt --write . ; erlfmt -w a.erl ; typos -w
  passes  opa fmt a.rego ; v fmt a.v ; erlfmt a.erl ; typos
  complete
program dune   unless ${LOOKS}   loses fmt|promote|format-dune-file, build --auto-promote, clean   stops dune fmt ; dune promote   passes dune build
program cljfmt purs-tidy   unless ${LOOKS}   loses fix|format-in-place   stops cljfmt fix ; purs-tidy format-in-place src   passes cljfmt check
program swiftlint   unless ${LOOKS}   loses autocorrect, --fix|--autocorrect|--format   stops swiftlint autocorrect ; swiftlint lint --fix   passes swiftlint lint
program uncrustify   unless --check, -o *   loses --replace|--no-backup|-F|--mtime   stops uncrustify --replace a.c   passes uncrustify -f a.c -o b.c
program bibtex-tidy   unless --no-modify|-o|--output   loses *   stops bibtex-tidy a.bib   passes bibtex-tidy --no-modify a.bib
program nbqa   unless ${LOOKS}   loses black|isort|yapf|autopep8|autoflake|pyupgrade|ruff   stops nbqa black a.ipynb   passes nbqa flake8 a.ipynb ; nbqa black --check a.ipynb
program sort-package-json   unless ${LOOKS}   loses ...   stops npx sort-package-json   passes sort-package-json --check
`;

function namesFiles(_: Command, operands: readonly string[]): boolean {
  return operands.some((word) => word !== '-');
}

function formatsFiles(c: Command, operands: readonly string[]): boolean {
  return operands[0] === 'fmt' && c.args.at(-1) !== '-';
}
