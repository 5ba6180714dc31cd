/** What aish promises, one sentence each. Every one is cited by at least one test; a check fails for one that is not. */
export const REQUIREMENTS = {
  'main-job.demo':
    'A newcomer’s goal runs with the demo model: real containers, HALT, verdict, done, and its story afterwards',
  'main-job.llama': 'The same goal runs against a real llama-server',
  'main-job.compose': 'The same goal runs through docker compose with two workers',
  'main-job.redis': 'The same goal runs with queue and bus on Redis',
  'halt.verdicts': 'A HALT takes proceed, skip or abort, and the model is told',
  'halt.first-verdict-wins': 'The second verdict gets 409 and learns who decided',
  'halt.survives-restart': 'A HALT held over a restart of everything goes on when it is answered',
  'api.database-away':
    'While the database is away the api says so with 503, no service ends, and all goes on by itself',
  'halt.second-client':
    'A HALT held while Postgres and every service are killed is answered by a second client, and the goal goes on',
  'goal.survives-kill': 'A killed worker’s goal is driven on by another, and no command runs twice',
  'goal.kill-matrix':
    'Wherever a driver is killed, the next one goes on: nothing runs twice, no result is lost, no step counts twice',
  'halt.held':
    'What a command nobody approved destroyed of what was there before waits for a verdict, over a kill of everything, and is kept or rolled back',
  'halt.folder':
    'What a command did to a held folder of the host is written there once a person has seen it, never over what somebody changed since, and can be undone',
  'halt.depends':
    'In a closed workspace most commands run without a question, held, and aish asks about what was there before',
  'trust.undoable':
    'A goal that a person trusts with what is undoable destroys files of its workspace without a question, and they come back',
  'undo.all': 'A goal that ends says what it deleted and changed in all, and one command takes everything back',
  'trust.chat':
    'In a chat that a person trusts with what is undoable commands run and the model goes on by itself; at a question they may say not to ask again',
  'trust.ceiling': 'Nothing is trusted further than an admin allows',
  'goal.chaos':
    'Workers, sandbox, api, Redis and Postgres are killed at random: every goal ends where its script says, nothing runs twice',
  'survival.soak':
    'Each service, Redis and Postgres are killed in turn under load: new goals and messages work again, nothing that was given is lost',
  'goal.cancel': 'A cancelled goal stops its command within a second or so',
  'goal.waits-for-model':
    'A model endpoint that is down, hangs or sends broken streams makes the goal wait, and it goes on by itself',
  'goal.rate-limit':
    'A model that asks to be left alone for a time is asked again when it is over, and people see until when',
  'goal.waits-for-sandbox': 'A goal waits while the sandbox is away and goes on by itself',
  'goal.budget': 'A goal ends when its budget of steps is used up, and when the model does nothing',
  'goal.multi-line': 'A command takes the lines that its shell text needs, and nothing in them is an action',
  'goal.tools': 'Tool calls are actions of a goal: in order, with results, faults told, approval asked for',
  'goal.check': 'A goal with a check is done only when its check exits 0, and blocked after three failures',
  'goal.check-proposed': 'A model may propose the check of its goal, and a person accepts it',
  'goal.pause': 'A goal stops where it is when it is paused, and goes on from there',
  'goal.continue': 'A goal that ended goes on with more steps and all that was said; what is done, with what is new',
  'goal.archive': 'A goal that has ended can be archived, found again, and deleted with its record and workspace',
  'goal.edit': 'The text of a goal can be changed, and the model is told',
  'goal.budgets': 'No step begins beyond the tokens or the time of a goal',
  'goal.repeats':
    'A model that asks for the same again and again is told at three times, and a person is asked at five',
  'goal.schedules': 'A schedule gives its goal at each moment once, and not on top of one that is not over',
  'events.goal': 'An event that a rule is for gives a goal, and what it says is data for the model',
  'events.once': 'The same event gives one goal, over two apis, a flood and a kill; the rest is counted',
  'events.kill-matrix':
    'An event gives one goal wherever api or worker are killed between request and first step, with two apis at once',
  'events.proof': 'An event that proves nothing, comes late or comes twice begins nothing',
  'events.over': 'An event that is over tells its goal, or cancels it',
  'events.alertmanager': 'A real Alertmanager’s alert gives a goal that ends at a HALT, and its end is told',
  'acp.session':
    'An editor that speaks ACP has sessions with streams, tool calls, diffs, its own files and slash commands',
  'acp.decisions': 'What waits for a person is asked at the editor, and only a token that may decide answers there',
  'acp.again': 'An editor cancels what is under way, and opens a session again after a restart: its question is there',
  'runbooks.goal':
    'A goal follows a runbook at a commit that is written down, with its scripts in the workspace, read-only',
  'runbooks.grants':
    'What a runbook asks to use runs without a question once a person has accepted it, until it changes',
  'runbooks.proposals':
    'What a model would have a runbook say is a diff that waits for a person, who commits or drops it',
  'runbooks.people': 'Runbooks are checked, imported, listed, shown and run from the command line',
  'events.people': 'Senders, rules and events are added, listed, tested, replayed and removed from the command line',
  'goal.export': 'The story of a goal can be had as Markdown and as JSON',
  'goal.breaks': 'What nobody foresaw fails a goal after a bounded number of attempts, with the reason',
  'halt.edit': 'A HALT can be answered with another command, which is judged again',
  'halt.grants': 'A HALT can be granted for the rest of the goal, and the grant taken back',
  'jobs.solved':
    'A job is played in a world of its own, its verifier takes the reference solution, and a killed run goes on where it was',
  'jobs.refused': 'A verifier refuses what only looks like a solution, even if the model claims success',
  'jobs.again':
    'What a model wrote is played again as a model; a job gives secrets that nobody sees, and leaves none behind; repeats have seeds',
  'jobs.read':
    'Jobs are listed and shown; runs are compared, and made into the card of a model; usable first answers are counted',
  'outward.asked': 'What is sent to an address that the person has not named halts, and says where the address stood',
  'outward.refused': 'A refusal is never taken for permission: what a person refused to send is asked about again',
  'refusal.other-ways':
    'Another way to do what a person refused is stopped; after the third aish asks no more, unless the person allows it',
  'hosts.set-up': 'An admin adds a host, compares and trusts its key, checks it, and takes it away again.',
  'hosts.chat':
    'A chat uses a host that it was given, and a person is asked before anything that does more than read there.',
  'hosts.read':
    'A command reads on another host over SSH, with a certificate for this one command, and what it did is on record.',
  'hosts.halt':
    'What changes something on a host waits for a person, who sees host and command; proceed runs exactly that.',
  'hosts.copies': 'scp, sftp, rsync and git reach a host over SSH, each with a person where it writes there.',
  'hosts.certificate': 'A certificate is of no use for another command, on another host, or after its minute.',
  'hosts.key': 'A host that knows no certificates is used with a stored key, and marked as weaker.',
  'hosts.pinned': 'A host that shows another key than the trusted one is not spoken to.',
  'hosts.lost': 'A host that dies in the middle of a command makes the action lost; it is told, and never repeated.',
  'hosts.job':
    'A goal looks at two hosts and prunes on one after a HALT that shows host, command and snapshot; undo says how to take it back.',
  'hosts.brief':
    'aish brief reads all hosts side by side, finds what is wrong, says what changed, and its key can do nothing else.',
  'hosts.evidence':
    'Before an approved command restarts something on a host, its log and its state are kept, masked, and aish show prints them.',
  'hosts.judged':
    'What arrives at a host is judged there, however a command came to it; what nobody let through does not run.',
  'gate.hosts': 'An approval of one SSH command is for that command: no other program on the line spends it',
  'gate.content': 'An approval and a grant are for the content of the files that decide what a command does',
  'gate.defences':
    'An attack that is closed succeeds again once the lines that stop it are gone, so its test tests these',
  'gate.cve': 'The holes that were found in other agents this year are closed here, by number',
  'halt.surroundings':
    'A verdict and a grant are for the folder, variables and mounts they were given in, and what runs has its own PATH',
  'verdict.no-accident':
    'A card that has just come up or moved, a key that repeats, and one press of Abort decide nothing, and say so',
  'verdict.note': 'A note for the model goes with every verdict and is in the record and the audit',
  'verdict.text-kept':
    'What is typed for a decision that somebody else answers is kept, and the person is told who decided what',
  'verdict.prompt': 'Every answer that is typed at the prompt of a watched goal has an effect or a visible hint',
  'decision.several-people':
    'Where a space wants two people, one is never enough: not the author, nobody twice, and both for the same text',
  'decision.change-window':
    'What is let through for the change window waits over restarts, can be taken back, and runs when that opens',
  'decision.escalation': 'Of what nobody answers the next person is told, and it never runs for that',
  'audit.chain': 'A change of a row of the audit log is detected',
  'halt.expiry': 'A HALT that nobody answers in time becomes skip or abort, never proceed',
  'goal.second-driver': 'Two drivers never drive one goal',
  'spaces.reach':
    'What is begun in a space has its network, folders, hosts, secrets, budgets and instructions, and its model is told',
  'setup.first-job':
    'aish setup and docs/first-job.md lead to a goal that reads on hosts and an API, halts before it changes one, and is undone',
  'spaces.image':
    'Commands of a space run in the image and within the limits that an admin gave it, for as long as a goal goes on',
  'spaces.roles': 'Only whom a space names gives goals, chats or decides there',
  'secrets.unseen': 'A secret reaches its host and no other, and no command, model, log or row ever has it',
  'network.policy': 'Commands reach nothing until an admin lists what, and every destination is an event',
  'sandbox.several': 'Several sandbox services serve one api; a workspace stays with the one that made it',
  'sandbox.carry-over': 'A command begins where the last one ended, and a user can switch that off',
  'sandbox.leaves-nothing': 'A deleted session leaves no workspace, snapshot, network policy or container',
  'sandbox.host-folders': 'A goal gets folders of the host by their names in the allowlist, and no others',
  'events.resume': 'An event stream resumes after Last-Event-ID: all that was missed, in order, no duplicate',
  'api.bad-input': 'Bad input gets a problem document with a stable code and changes nothing',
  'api.tokens': 'Nothing but health answers without a token, and a token does what its scopes allow',
  'api.audit': 'Verdicts, tokens and policy changes are written down with who did them',
  'api.metrics': 'Prometheus reads metrics with a token that may, and they contain no text or ID',
  'api.limits': 'An address that is wrong about its token too often is no longer heard',
  'api.proxies':
    'Behind a trusted proxy each client is counted by its own address; from anybody else the header is ignored',
  'api.openapi': 'The OpenAPI document describes every route',
  'launcher.start': 'npm start sets everything up, says where it is, and Ctrl-C stops all of it',
  'launcher.one-per-folder': 'A second start on the same data folder says so and harms nothing',
  'launcher.after-kill': 'After kill -9 of the launcher the next start works',
  'tui.goal': 'The terminal UI shows goals and timeline, starts a goal, and answers a HALT with p, s or a',
  'tui.enter-never-proceeds': 'Enter alone never lets a destructive command proceed',
  'tui.typing-never-decides':
    'Text that is being typed when a dialog opens, or while one is open, decides nothing and stays in the prompt',
  'tui.views': 'Each view of the terminal UI is one key away, from 80×24 up',
  'tui.chat': 'The terminal UI chats: streams, confirms commands, shows what they print, resumes',
  'tui.memory': 'The terminal UI shows what is remembered and forgets it',
  'tui.tools':
    'The terminal UI shows name and arguments of a tool before it is called; Enter alone answers nothing, p calls, s skips',
  'tui.triage':
    'What a model proposes to remember is kept, dropped or put in other words, one by one, in the terminal UI',
  'tui.knowledge':
    'The terminal UI lists the knowledge base, looks in it, shows a node, follows its links and goes back',
  'tui.halt': 'A HALT in the terminal UI can be explained, edited and granted, and the grant taken back',
  'tui.queue':
    'HALTs that wait form a queue in the terminal UI; one that is answered elsewhere closes and says by whom',
  'tui.pause': 'A goal is paused and let go on in the terminal UI, and asked about once it has ended',
  'tui.reconnects': 'The terminal UI says that it is offline and goes on by itself',
  'tui.sane-terminal': 'The terminal is as before after the terminal UI was ended from outside',
  'tui.prompt': 'The prompt takes any character, many lines at once, and finds what was typed before',
  'tui.profile': 'Server, token command, keys and mouse are in a file; another version is said',
  'tui.pack': 'The client packs to one file that works in an empty folder, alone',
  'version.one': 'The command, the api, every package and the images are of one version',
  'tui.whole-answers':
    'An answer is shown from its first word on while it comes, and the commands in it as they will run',
  'tui.typing-is-kept': 'What is typed at a question or over a page goes into the prompt, whole',
  'tui.norris-which': 'Ctrl-N begins a goal at any time, and ending one of several asks which',
  'tui.whose': 'A decision of another chat says whose it is, and is no obstacle',
  'tui.menus':
    'What can be done to a goal or chat is in a menu and has a key, and everything is found by its words from one key',
  'tui.output':
    'The terminal UI pages an output whole, looks in it, and keeps the colours of its letters and nothing else',
  'tui.skip-says-why': 'A note that is typed at a HALT in the terminal UI goes to the model with the verdict',
  'tui.one-conversation':
    'In the terminal UI a goal given in a chat asks what it needs to know, its end is told in the chat, and it goes on with what is new',
  'tui.reads': 'In a chat of the terminal UI commands that only read run one after the other without a question',
  'tui.not-complete':
    'A goal that says it is complete beside an action that was skipped plans again, in sight of the terminal UI',
  'tui.picked-up': 'After its terminal went away the terminal UI is where the person was, with what was being typed',
  'tui.names':
    'A goal, a step of it and a chat are named in the commands of the terminal UI as they are shown: g4, 4.3, c5',
  'tui.keys-of-goals':
    'Priority and network of a goal have their keys in the terminal UI, and schedules are found from the palette',
  'tui.not-asked-again': 'In a chat of the terminal UI a person says that a rule is not asked about again there',
  'tui.lit': 'The chosen row has a background, and a HALT shows its action once, above its keys',
  'tui.hidden-tools': 'The terminal UI says how many tools of connected servers a model does not see at once, and why',
  'tui.partial-answer': 'Ctrl-C at a running goal keeps what the model has said so far',
  'tui.setup': 'The steps of aish setup are done from the terminal UI, which is there again afterwards, where it was',
  'tui.colours': 'The terminal UI obeys NO_COLOR',
  'cli.completion': 'bash, zsh and fish complete aish, with what the server has',
  'cli.unattended': 'A goal is watched from a terminal without anybody there: a HALT is answered when its time is over',
  'cli.refused-calls': 'aish ask and aish show say in a terminal why a call of a tool was refused',
  'cli.login': 'aish login lets a terminal in by its code, and a profile names the server from then on',
  'cli.scripts': 'aish works in scripts: json, exit codes, watch',
  'notices.phone': 'People are told on their phones of HALTs and ends, and answer there',
  'safety.gate': 'Nothing that the rules or the second opinion call destructive runs without a verdict',
  'safety.probe': 'What the gate says about a command can be asked without running it',
  'backup.restore': 'A backup holds everything, and an empty aish becomes the one it was made of',
  'backup.schedule': 'Backups are made by themselves and read back',
  'api.device-login': 'A device signs in by a code that an admin lets in, and finds its server from then on',
  'sign-in.provider': 'A household signs in through its own OpenID Connect provider, with roles',
  'doctor.finds': 'aish doctor finds what is down and says what to do',
  'config.reference': 'The reference of the settings says what the schemas say',
  'config.compose': 'docker compose passes every setting on that a service takes',
  'config.check': 'A settings file is checked without a server, everything at once',
  'files.in-and-out': 'Files of a workspace go in and out through the api and aish files, and no trick leads out of it',
  'undo.preview':
    'A halted command can be run before it counts; its workspace stays as it is, and proceed keeps that run',
  'undo.restores': 'What an approved destructive command did to the workspace can be undone, and the model is told',
  'mcp.everything-http':
    'Tools, pictures, progress, resources and prompts of a server that others wrote, over Streamable HTTP and over SSE',
  'mcp.stdio': 'Servers that others wrote run over stdin and stdout in containers as hardened as those of commands',
  'mcp.stdio-space':
    'Such a server has the network and the secrets of its space, and no more, and only there models have its tools',
  'mcp.stdio-ends': 'Such a container ends with its user, after any kill, and what it keeps stays',
  'mcp.conformance': 'Client and server pass the official conformance suite of MCP, both revisions of the protocol',
  'mcp.documented': 'The commands of docs/mcp.md work',
  'mcp.questions-apart': 'Questions of a server of 2025 reach the person of their own call while several are under way',
  'mcp.elicitation-waits':
    'A server’s question is a decision that waits for days and over restarts, for one answer that fits its schema',
  'mcp.tasks-waited':
    'A goal waits without a worker for a call that its server made a task, over kill -9; the call is made once, and cancelled when nobody waits',
  'mcp.call-once':
    'A call at which its MCP server dies is made once and recorded as lost, in a chat and in a goal, and whether or not the server comes back',
  'goal.of-chat':
    'A goal given in a chat knows what was said there, and the chat is told once how it ended, over kill -9',
  'goal.needs':
    'What the model of a goal or a chat needs to reach is a decision that waits over kill -9; only an admin gives it, for exactly that, and a secret’s value is typed unseen and kept with nothing but the secret',
  'goal.questions':
    'A goal’s model asks a person with GOAL: ask; the question waits for days and over kill -9, for one answer',
  'mcp.elicitation-open':
    'A server that can wait only on its open call gets its answer there, or is told in time that there is none',
  'goal.follow-up':
    'Once a goal has ended it can be talked about in its own session, from the same prompt on, and continued afterwards',
  'goal.memory-and-knowledge':
    'Goals use MCP tools, memory and knowledge, are told how and when, and a write is asked about',
  'chat.fallback': 'Another preset answers where that is configured, which the turn says; elsewhere it is an error',
  'chat.survives-kill':
    'After any kill while a command of a chat runs, the command has run once, and its result is taken over or told as lost',
  'chat.stop-anywhere': 'An exchange is stopped from another api than the one that drives it',
  'sessions.command-line': 'The command line asks, finds, renames, forks, takes away, brings back and deletes sessions',
  'mcp.run-time': 'Servers are connected, kept and disconnected at run time, for every process, secrets encrypted',
  'mcp.gate': 'A tool that the safety gate stops is called for a person only when that person may decide',
  'mcp.serves': 'Other programs start, show, list and cancel goals over MCP, as far as their token goes',
  'mcp.no-verdicts': 'No MCP tool gives a verdict, with any token',
  'mcp.rebinding': 'The MCP endpoint refuses foreign hosts and origins, and requests that are too large',
  'knowledge.hammer':
    'Sixteen writers in two processes that are killed at random: no commit is lost or half made, nothing is left over',
  'knowledge.org-lint': 'What aish writes passes Emacs’s own org-lint, and both call the same things broken',
  'knowledge.emacs': 'Emacs and org-roam read a clone whole; a person’s own notes come back as they were',
  'knowledge.curated': 'A file of operations that a person approved is carried out, and no other',
  'knowledge.api':
    'The knowledge base over HTTP, by the command line and on a clone without a server gives the same answers',
  'knowledge.mcp':
    'The kb tools at /mcp show and write what the token’s projects and the nodes’ visibility allow, as the API does',
  'knowledge.push-hangs': 'A push that hangs stops no write, on the server and in a clone, and ends with the service',
  'knowledge.push-failure':
    'A push that failed is in the log, in doctor and above the prompt when the terminal UI starts',
  'knowledge.graph': 'The graph of the knowledge base comes as DOT and drawn as SVG, of what the reader may see',
  'memory.cli': 'What is remembered is listed, found, edited, forgotten and explained from scripts',
  'memory.summarize': 'A session’s facts are proposed and reviewed one by one; scripts leave them waiting',
  'memory.planted':
    'What a command’s output asks to be remembered is put before no model until a person has accepted it',
  'memory.background': 'A chat begins with the newest items, and shows in its next turn what is remembered in it',
  'memory.permissions': 'Who may read, append to and replace which memory is the same over api, tools and MCP',
  'memory.triggers': 'Sessions are summarized at their end when that is set, and large documents compacted',
  'memory.session-logs': 'What was done in a goal or chat of a space is kept beside a document when it ends, by itself',
  'memory.recall': 'One search finds what is kept anywhere, over command, api and MCP, and nothing of other people',
  'memory.kill-compaction':
    'The api is killed during compactions: the document is the old or the new one, its archive whole',
  'memory.many-writers':
    'Many writers in several processes: numbers without gap or duplicate, nothing lost, no deadlock',
  'check.bites': 'The boundary check refuses a forbidden import',
  'check.words': 'Texts avoid a few words that make sentences hard to read, and old names do not come back',
  'compose.profiles':
    'Each compose profile, alone and beside the others, is a valid deployment with the services it names',
  'compose.closed':
    'Each container is read-only, without capabilities it does not need, bounded, watched, and never privileged',
  'compose.socket-proxy': 'The sandbox works behind a filter before the engine that lets nothing else through',
  'compose.tls':
    'With the profile tls the api is behind Caddy: https with a certificate of its own, plain http led there',
  'compose.rootless': 'With the settings that its page names aish runs on the rootless engine of an ordinary user',
  'grow.machines':
    'A worker and a sandbox on another machine, over the same Redis and Postgres, work as those beside them',
  'grow.link-cut': 'When the link between the machines is cut and comes back, no command runs twice and goals go on',
  'grow.machine-lost':
    'The goals of a machine that vanished are driven on by another; those with a workspace there wait for it',
  'grow.compose':
    'With Docker Compose a second machine gives the first one a worker and a sandbox, over a private network alone',
  'grow.swarm': 'The stack file for Docker Swarm deploys aish as its README says, and a goal goes through it',
  'grow.managed-postgres':
    'Api, worker, migrator, queue and bus reach a Postgres over TLS whose certificate they check, as an ordinary role',
  'dashboard.metrics': 'The dashboard reads no metric that the services do not expose',
  'supply.pinned': 'Base images and dependencies are pinned',
  'supply.sbom': 'The list of what is in an image has every Debian and npm package of it, and is valid CycloneDX',
  'supply.architectures':
    'Images are the same for amd64 and arm64 but for their base: no native code of one of them is put into them',
  'security.routes': 'Every route of the api is in the table that the security pass goes through',
  'security.scopes': 'Every route refuses who has no token, or a token without the scope it needs',
  'security.hostile': 'No route breaks, or tells of its inside, with oversized, malformed or hostile input',
  'security.browsers': 'No page of another origin may read what the api answers',
  'web.attacks':
    'Nothing that models, commands, people or other pages say runs in the page, hides in it or acts through it',
  'web.sessions': 'A browser’s session is a cookie of its own: it ends with its token, alone, or with all others',
  'web.offline':
    'A verdict given without a network is sent once, for what was shown, or refused; a sign-out leaves nothing that was kept',
  'web.flows':
    'In a browser on a desk and on a phone a goal is given, followed live, halted and answered by a deliberate gesture',
  'web.keyboard':
    'With the keyboard alone somebody signs in, gives a goal and answers its HALT, and always sees where the focus is',
  'web.below-a-path':
    'Below a path of a reverse proxy the page signs in, gives a goal, follows it live and answers its HALT',
  'web.forms':
    'Hosts, spaces, senders and rules of events are changed from the page, which shows settings without secrets',
  'web.push':
    'A browser that wants notices gets them although no page is open, encrypted, and no more when it is signed out',
  'web.same-words': 'The page and the terminal say the same of the same goal',
  'web.accessible': 'No screen of the page violates what axe looks for, on a light desk and a dark phone',
  'web.live': 'What happens while the api is away is there once, and in order, when it is back, in every tab',
  'web.large': 'Ten thousand lines stay small in memory and in the document, and the first screen is light',
  'docs.commands': 'Every command that a page shows is run by a test, or listed with the reason why it is not',
  'docs.tunnel':
    'On a laptop aish reaches an api that listens on 127.0.0.1 of another machine through ssh, as documented',
  'docs.api-reference': 'The API reference is what the running api says of itself',
  'upgrade.data': 'Migrations keep every value of a database that the first release wrote',
  'upgrade.refuses-newer':
    'Api and worker refuse a database that a newer version has migrated, and name what they do not know',
  'upgrade.goes-on':
    'What an earlier release left halted is answered, asked about once more with its folder, and goes on after the upgrade',
} as const;

export type RequirementId = keyof typeof REQUIREMENTS;

/** Which tier runs the specs of each folder of tests/src: `npm test`, or `npm run test:release`. */
export const TIERS = { check: 'test', system: 'test', tui: 'test', web: 'test', release: 'release' } as const;

/** The requirements that only `npm run test:release` proves. `npm test` proves all others. */
export const RELEASE_REQUIREMENTS: readonly RequirementId[] = [
  'refusal.other-ways',
  'main-job.llama',
  'main-job.compose',
  'goal.kill-matrix',
  'halt.held',
  'halt.folder',
  'halt.depends',
  'trust.undoable',
  'undo.all',
  'trust.chat',
  'trust.ceiling',
  'goal.chaos',
  'survival.soak',
  'goal.waits-for-model',
  'goal.rate-limit',
  'goal.waits-for-sandbox',
  'events.kill-matrix',
  'acp.session',
  'acp.decisions',
  'acp.again',
  'runbooks.goal',
  'runbooks.grants',
  'runbooks.proposals',
  'runbooks.people',
  'jobs.solved',
  'jobs.refused',
  'jobs.again',
  'jobs.read',
  'outward.asked',
  'hosts.copies',
  'hosts.certificate',
  'hosts.key',
  'hosts.pinned',
  'hosts.lost',
  'gate.hosts',
  'gate.content',
  'gate.defences',
  'gate.cve',
  'halt.surroundings',
  'decision.several-people',
  'decision.change-window',
  'decision.escalation',
  'audit.chain',
  'spaces.reach',
  'setup.first-job',
  'spaces.image',
  'spaces.roles',
  'secrets.unseen',
  'network.policy',
  'sandbox.several',
  'sandbox.carry-over',
  'sandbox.leaves-nothing',
  'sandbox.host-folders',
  'tui.typing-never-decides',
  'tui.views',
  'tui.chat',
  'tui.memory',
  'tui.tools',
  'tui.triage',
  'tui.knowledge',
  'tui.queue',
  'tui.pause',
  'tui.reconnects',
  'tui.sane-terminal',
  'tui.prompt',
  'tui.profile',
  'tui.pack',
  'tui.whole-answers',
  'tui.typing-is-kept',
  'tui.norris-which',
  'tui.whose',
  'tui.menus',
  'tui.output',
  'tui.skip-says-why',
  'tui.one-conversation',
  'tui.reads',
  'tui.not-complete',
  'tui.picked-up',
  'tui.names',
  'tui.keys-of-goals',
  'tui.not-asked-again',
  'tui.lit',
  'tui.hidden-tools',
  'tui.partial-answer',
  'tui.setup',
  'tui.colours',
  'cli.unattended',
  'cli.refused-calls',
  'cli.login',
  'notices.phone',
  'sign-in.provider',
  'doctor.finds',
  'mcp.stdio',
  'mcp.stdio-space',
  'mcp.stdio-ends',
  'mcp.conformance',
  'mcp.elicitation-waits',
  'mcp.tasks-waited',
  'goal.needs',
  'mcp.elicitation-open',
  'goal.follow-up',
  'goal.memory-and-knowledge',
  'chat.fallback',
  'chat.stop-anywhere',
  'sessions.command-line',
  'mcp.gate',
  'knowledge.hammer',
  'knowledge.org-lint',
  'knowledge.emacs',
  'knowledge.curated',
  'memory.kill-compaction',
  'memory.many-writers',
  'compose.socket-proxy',
  'compose.tls',
  'compose.rootless',
  'grow.machines',
  'grow.link-cut',
  'grow.machine-lost',
  'grow.compose',
  'grow.swarm',
  'grow.managed-postgres',
  'supply.sbom',
  'supply.architectures',
  'web.attacks',
  'web.sessions',
  'web.offline',
  'web.keyboard',
  'web.below-a-path',
  'web.forms',
  'web.push',
  'web.same-words',
  'web.accessible',
  'web.live',
  'web.large',
  'docs.commands',
  'docs.tunnel',
  'upgrade.data',
  'upgrade.refuses-newer',
  'upgrade.goes-on',
];

/** The name of a test that proves a requirement. */
export function verifies(id: RequirementId, how?: string): string {
  return `[${id}] ${how ?? REQUIREMENTS[id]}`;
}
