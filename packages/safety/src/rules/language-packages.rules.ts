import { table } from './table.js';

export const LANGUAGE_PACKAGES = table`
rule    package.language  medium  uninstalls, cleans or publishes packages of a language
why     installed packages are removed, caches and build results deleted, or a release is published that cannot be withdrawn

program pip pip3
  values  -r -c -i --index-url --target -t --python --cache-dir
  dry     --dry-run
  help    -h
  loses   uninstall, cache purge|remove, config unset
  loses   install -U|--upgrade|--force-reinstall|--ignore-installed -> the versions that are installed
  reads   list|show|freeze|check|search|index|debug|inspect, cache list|info|dir, config list|get
  harmless -o --outdated -u --uptodate --format -l --local --user -f --files --path -v --verbose --not-required --all --exclude
  harmless --exclude-editable --disable-pip-version-check --include-editable -q
  stops   pip uninstall -y x ; pip install --upgrade pip ; python3 -m pip uninstall x
  passes  pip install x ; pip list ; pip show x ; pip install --dry-run -U x
program uv   dry --dry-run   help -h
  loses   remove|publish, pip uninstall, pip install -U|--upgrade|--force-reinstall, cache clean|prune, tool uninstall|upgrade|update
  loses   python uninstall, self update, lock -U|--upgrade, venv --clear
  reads   tree, pip list|show|freeze|check|tree, tool|python list, cache dir   harmless --outdated --format --depth --all-versions
  stops   uv remove x ; uv pip install -U x ; uv cache clean   passes uv sync ; uv pip install x ; uv add x
program pipx   help -h
  loses   uninstall|uninstall-all|upgrade|upgrade-all|reinstall|reinstall-all, install|inject --force|-f
  stops   pipx uninstall x ; pipx install --force x   passes pipx install x ; pipx list ; pipx run x
program poetry   dry --dry-run   help -h
  loses   remove|publish|update, self update|remove, env remove, cache clear, config --unset   reads show|check, env list|info, cache list
  stops   poetry remove x ; poetry update ; poetry publish   passes poetry add x ; poetry install ; poetry show
program pdm   dry --dry-run
  loses   remove|publish|update, self update|remove, cache clear|remove, venv remove|purge, config --delete   reads list|show|info
  stops   pdm remove x ; pdm update   passes pdm add x ; pdm install
program pipenv   loses uninstall|update|upgrade|clean, --rm   reads graph   stops pipenv uninstall x ; pipenv --rm   passes pipenv install x
program conda mamba micromamba
  values  -n --name -p --prefix -c   dry --dry-run -d   help -h
  loses   remove|uninstall|clean|update|upgrade, env remove|update, install --force-reinstall, config --remove|--remove-key|--set
  reads   list|info|search, env list, config --show|--show-sources   harmless -n --name -p --prefix -c --json --explicit --export -e --envs
  stops   conda env remove -n x ; conda clean -a ; conda update --all   passes conda list ; conda create -n x ; conda install x
program hatch   loses publish|clean, env remove|prune   reads env show, version $   stops hatch publish   passes hatch build ; hatch run test
program pre-commit   loses clean|gc|uninstall|autoupdate   stops pre-commit autoupdate ; pre-commit clean   passes pre-commit run -a

program npm
  values  -w --workspace -C --prefix --dir --filter --registry --tag --otp --cwd -F   dry --dry-run --dryrun   help -h
  loses   ci|clean-install|ic|install-clean -> node_modules, which is deleted first
  loses   update|up|upgrade -> the versions that are installed   loses publish|unpublish|deprecate|undeprecate, dist-tag|owner rm
  loses   uninstall|remove|rm|r|un|unlink|prune|dedupe|ddp|repair, cache clean|rm|prune, audit fix
  loses   version *, pkg set|delete|fix, config delete|rm, token revoke|delete|rm|remove, access revoke, org|team rm|destroy
  reads   ls|list|view|info|show|outdated|search|explain|why|root|prefix|bin|whoami|ping, audit $, config list|get, dist-tag|owner ls
  harmless --depth --all -a --json -g --global -l --long --parseable -p --omit --prod --production --workspaces --registry
  stops   npm uninstall x ; npm ci ; npm cache clean --force ; npm version patch ; npm --prefix a rm b
  passes  npm install ; npm run build ; npm test ; npm publish --dry-run ; npm run test:delete ; npm version
program pnpm
  values  -w --workspace -C --prefix --dir --filter --registry --tag --otp --cwd -F   dry --dry-run --dryrun   help -h
  loses   remove|rm|uninstall|un|unlink|update|up|upgrade|prune|dedupe|publish|unpublish|deprecate|patch-remove
  loses   store prune, cache delete, env remove|rm, config delete, audit --fix, audit fix
  reads   list|ls|why|outdated|root|bin|licenses, store path|status   harmless --depth -r --recursive -g --json --long --prod --filter
  stops   pnpm store prune ; pnpm -F a rm b ; pnpm up   passes pnpm add x ; pnpm install ; pnpm run build
program yarn
  values  -w --workspace -C --prefix --dir --filter --registry --tag --otp --cwd -F   dry --dry-run --dryrun   help -h
  loses   remove|unlink|up|update|upgrade|upgrade-interactive|dedupe|autoclean|publish|unpublish, cache clean|clear, global remove|upgrade
  loses   workspace * remove|up|upgrade, npm publish, npm tag remove, config unset|delete, owner|team|tag remove, version *
  unless  version check|apply
  reads   list|why|info|outdated|licenses, workspaces list|info, config list|get
  stops   yarn remove x ; yarn upgrade ; yarn workspace a remove b   passes yarn add x ; yarn ; yarn build
program bun
  values  -w --workspace -C --prefix --dir --filter --registry --tag --otp --cwd -F   dry --dry-run --dryrun   help -h
  loses   remove|rm|uninstall|update|upgrade|unlink|publish, pm cache rm   reads pm ls|list|bin|whoami, outdated
  stops   bun remove x ; bun update   passes bun add x ; bun install ; bun run dev ; bun r dev
program deno   loses uninstall|remove|rm|publish|clean|upgrade, outdated --update|-u   reads info|doc|outdated
  stops   deno uninstall x ; deno publish   passes deno run a.ts ; deno add x
program vsce ovsx   loses publish|unpublish   stops vsce publish   passes vsce package
program lerna   loses publish|clean   reads list|ls|changed|diff   stops lerna publish   passes lerna run build
program nx   loses reset|release|repair|migrate, ... *:clean|*:publish|*:deploy|*:release   reads show|report|list
  unless  release --dry-run|-d   stops nx reset ; nx release ; nx run a:deploy   passes nx build a ; nx run a:build
program code   loses --uninstall-extension   reads --list-extensions   stops code --uninstall-extension x   passes code . ; code --list-extensions

program gem   values -v --version   dry --dryrun
  loses   uninstall|cleanup|clean|update|yank|pristine, install --force|-f, owner|sources -r|--remove   reads list|search|info|env|outdated|which|contents
  stops   gem uninstall x ; gem update ; gem install --force x   passes gem install x ; gem list
program bundle   dry --dry-run
  loses   update|clean|remove|pristine, install --clean|--force|--redownload, config unset, plugin uninstall
  reads   list|show|outdated|info|check|platform, config list|get   harmless --paths --local --groups --parseable --strict
  stops   bundle update ; bundle clean   passes bundle install ; bundle outdated
program composer   values -d --working-dir   dry --dry-run
  loses   remove|rm|uninstall|update|upgrade|u|self-update|selfupdate|reinstall|clear-cache|clearcache|cc, global remove|update|upgrade
  loses   config --unset   reads show|info|outdated|why|why-not|depends|search|licenses|validate|audit
  stops   composer remove a/b ; composer update ; composer -d x global remove a   passes composer install ; composer require a/b
program mix
  loses   ... clean|deps.clean|deps.update|deps.unlock|ecto.drop|ecto.reset|ecto.rollback|hex.publish|hex.retire|archive.uninstall|*.clean
  loses   ... escript.uninstall|hex.organization|reset|*.reset   reads deps|hex.outdated|deps.tree
  stops   mix ecto.drop ; mix deps.clean --all ; mix hex.publish   passes mix test ; mix deps.get
program pod   loses deintegrate|update, cache clean, repo remove|update, trunk delete|deprecate|push|remove-owner   reads list|outdated|search
  stops   pod deintegrate ; pod update ; pod trunk delete x 1   passes pod install

program cargo
  values  --manifest-path -p --package --target --target-dir --features -j   dry --dry-run -n   help -h
  loses   clean|uninstall|yank|publish|fix|remove|rm|sweep|update|upgrade|install-update, owner !-l|--list
  loses   install --force|-f, cache -a|--autoclean|-r|--remove-dir|-e|--autoclean-expensive
  reads   tree|metadata|search|version|verify-project|locate-project|pkgid
  harmless --depth -e --edges -i --invert -d --duplicates --no-dedupe --format --format-version --no-deps -p --package --features -F
  harmless --all-features --no-default-features --target --limit --locked --offline --frozen --workspace --prefix -f --charset
  stops   cargo clean ; cargo uninstall x ; cargo update ; cargo install --force x ; cargo cache -a
  passes  cargo build ; cargo test ; cargo install x ; cargo cache ; cargo publish --dry-run
program rustup   help -h
  loses   update|upgrade|uninstall, toolchain|target|component uninstall|remove|rm, self uninstall|update, override unset|remove
  reads   show|which, toolchain|target|component|override list   harmless --toolchain --installed -v
  stops   rustup toolchain uninstall nightly ; rustup update   passes rustup show ; rustup toolchain install nightly
program go   dry -n
  loses   clean|fix, mod edit, get ... *@none   reads version|list|doc|vet, env !-w|-u
  harmless -m -json -f -u -deps -e -test -versions -v -all -src -short -c -cmd
  stops   go clean -modcache ; go fix ./... ; go mod edit -droprequire x ; go get x@none   passes go build ./... ; go test ./... ; go list -m all
program dotnet
  loses   clean|remove|publish, ef database drop|update, ef migrations remove, tool uninstall|update, nuget delete|push|remove, new uninstall
  loses   nuget locals ... --clear|-c, workload uninstall|update|clean|repair, ... clean, sln * remove, package|reference remove
  reads   list, nuget|tool|workload list   harmless --info --list-sdks --list-runtimes --outdated -g
  stops   dotnet clean ; dotnet ef database drop ; dotnet remove package x   passes dotnet build ; dotnet add package x ; dotnet ef migrations list
program gradle gradlew   values -x --exclude-task -p -b -c -I --project-dir   dry -m --dry-run
  loses   ... clean*|publish|release|deploy|reset|purge|uninstall*|*:clean*|*:publish|*:release|*:deploy|*:uninstall*
  reads   tasks|dependencies|projects|properties
  stops   gradle clean build ; gradle :app:clean ; gradle publish   passes gradle build ; gradle build -x clean ; gradle -m clean
program sbt   loses ... *clean*|publish|release|deploy|*/publish   stops sbt a/clean ; sbt "clean; compile"   passes sbt test
program bazel bazelisk   loses clean|shutdown   reads query|cquery|info|version   stops bazel clean --expunge   passes bazel build //...
program cabal   loses clean|v2-clean|update, upload --publish   reads list|info   stops cabal clean   passes cabal build
program opam
  loses   remove|uninstall|update|upgrade|clean|reinstall|unpin, switch remove|set-base, repository|repo remove|set-url, pin remove
  reads   list|show|search|config   stops opam remove x ; opam upgrade   passes opam install x ; opam list
program flutter
  loses   clean|downgrade|upgrade, pub remove|upgrade|downgrade|publish, pub cache clean|repair, pub global deactivate, config --clear-features
  reads   devices|doctor, pub deps|outdated   stops flutter clean ; flutter pub upgrade   passes flutter build apk ; flutter pub get
program swift   loses package clean|reset|update|purge-cache|unedit
  stops   swift package clean ; swift package reset   passes swift build ; swift package resolve
program xcodebuild   loses ... clean   reads -list|-version|-showsdks   stops xcodebuild clean build   passes xcodebuild build
program xcrun   loses simctl delete|erase|shutdown|uninstall   reads simctl list   stops xcrun simctl erase all   passes xcrun simctl list
program nuget   loses delete|update   reads list|search   stops nuget update a.sln   passes nuget install x
program ollama   loses rm|stop -> a model, or what is answered with it   reads list|ls|ps|show   stops ollama rm llama3   passes ollama pull x ; ollama list
`;
