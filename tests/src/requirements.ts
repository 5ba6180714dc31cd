/** The promises of aish, in one sentence each. A check fails for a requirement that no test cites. */
export const REQUIREMENTS = {
  'main-job.demo':
    'A newcomer’s goal runs with the demo model through real containers, a HALT and a verdict, and keeps its history',
  'main-job.llama': 'The same goal runs against a real llama-server',
  'models.thoughts-cached':
    'A goal reads each token of its prompt once, whether its model sees none or all of its thoughts again',
  'main-job.compose': 'The same goal runs through docker compose with two workers',
  'main-job.redis': 'The same goal runs with queue and bus on Redis',
  'halt.verdicts': 'A HALT takes proceed, skip or abort, and the model learns the verdict',
  'halt.first-verdict-wins': 'A second verdict gets 409 and learns who decided',
  'halt.survives-restart':
    'A goal whose HALT waited through a restart of everything continues when the HALT is answered',
  'api.database-away':
    'The api returns 503 while the database is unavailable, no service ends, and work continues afterwards',
  'halt.second-client':
    'A second client answers a HALT that waited while Postgres and every service were killed, and the goal continues',
  'goal.survives-kill': 'Another worker continues the goal of a killed one, and no command runs twice',
  'goal.kill-matrix':
    'The next runner continues after a kill at any boundary: nothing runs twice, no result is lost, no step counts twice',
  'halt.held':
    'Changes that destroyed older files without approval wait for a verdict, even after a kill of everything, and are kept or dropped',
  'halt.folder':
    'Changes to a held host folder are written after a person has seen them, never over changes of others, and can be undone',
  'halt.depends':
    'Most commands in a closed workspace run without a question, with their changes held, and aish asks only about losses of older files',
  'trust.undoable':
    'A goal with trust undoable destroys files of its workspace without a question, and undo restores them',
  'undo.all': 'A goal that ends lists everything that it deleted and changed, and one command undoes all of it',
  'trust.chat':
    'Commands run in a chat with trust undoable, the model continues by itself, and a decision can grant its rule',
  'trust.ceiling': 'No goal or chat gets more trust than an admin allows',
  'goal.chaos':
    'Every goal ends as its script says after random kills of workers, sandbox, api, Redis and Postgres, and nothing runs twice',
  'survival.soak':
    'New goals and messages work and nothing is lost after each service, Redis and Postgres are killed in turn under load',
  'goal.steer': 'A message to a working goal reaches its model at the next turn, stops nothing, and survives a kill',
  'goal.cancel': 'A cancelled goal stops its command within a second or so',
  'goal.waits-for-model':
    'A goal waits for a model endpoint that is down, hangs or sends broken streams, and continues by itself',
  'goal.rate-limit': 'aish waits as long as a model’s rate limit says, and shows people until when',
  'goal.waits-for-sandbox': 'A goal waits while the sandbox is unavailable and continues by itself',
  'goal.budget': 'A goal ends when its steps are used up, and when the model does nothing',
  'goal.multi-line':
    'A command includes all lines of its shell text, and none of these lines counts as an action of its own',
  'goal.tools': 'Tool calls are actions of a goal: they run in order, return results and errors, and ask for approval',
  'goal.check': 'A goal with a check is done only when its check exits 0, and blocked after three failures',
  'goal.check-proposed': 'A model may propose the check of its goal, and a person accepts it',
  'goal.pause': 'A paused goal stops where it is, and resumes from there',
  'goal.continue': 'An ended goal continues with more steps and its whole conversation; a done goal needs new work',
  'goal.archive': 'A goal that has ended can be archived, found again, and deleted with its record and workspace',
  'goal.edit': 'A person can change the text of a goal, and the model gets the new text',
  'goal.budgets': 'No step begins beyond the token or time limit of a goal',
  'goal.repeats': 'A model that repeats an action gets a notice after three times, and aish asks a person after five',
  'goal.schedules': 'A schedule gives its goal once for each time, and not while the previous one is running',
  'events.goal': 'An event that matches a rule creates a goal, and its text is data for the model',
  'events.once': 'The same event creates one goal, despite two apis, a flood and a kill; duplicates are counted',
  'events.kill-matrix':
    'An event creates one goal wherever api or worker are killed between request and first step, with two apis at once',
  'events.proof': 'An event without a valid proof, a late one and a repeated one start nothing',
  'events.over': 'The end of an event informs its goal, or cancels it',
  'events.alertmanager':
    'An alert of a real Alertmanager creates a goal that halts, and the goal learns when the alert is over',
  'acp.session':
    'An editor that speaks ACP has sessions with streams, tool calls, diffs, its own files and slash commands',
  'acp.decisions': 'The editor shows decisions, and answers them only with a token that may decide',
  'acp.again': 'An editor cancels current work, and reopens a session with its decision after a restart',
  'runbooks.goal': 'A goal follows a runbook at a recorded commit, with its scripts read-only in the workspace',
  'runbooks.grants':
    'Tools that a runbook lists run without a question after a person has accepted it, until it changes',
  'runbooks.proposals': 'A model’s change to a runbook is a diff that a person commits or drops',
  'runbooks.people': 'Runbooks are checked, imported, listed, shown and run from the command line',
  'events.people': 'Senders, rules and events are added, listed, tested, replayed and removed from the command line',
  'goal.export': 'The history of a goal can be exported as Markdown and as JSON',
  'goal.breaks': 'An unexpected error fails a goal after a limited number of attempts, with the reason',
  'halt.edit': 'A person can answer a HALT with another command, which is judged again',
  'halt.grants': 'A person at a HALT can grant its action for the rest of the goal, and remove the grant',
  'jobs.solved': 'Each job has its own world, its verifier accepts the reference solution, and a killed run continues',
  'jobs.refused': 'A verifier rejects a false solution, even if the model claims success',
  'jobs.again':
    'A run can be replayed as a model, the secrets of a job stay hidden and are removed, and repeats have seeds',
  'jobs.read': 'Jobs are listed and shown; runs are compared and published as a card; usable first answers are counted',
  'outward.asked':
    'Sending to an address that the person has not named halts, and the HALT says where the address came from',
  'outward.refused': 'A refusal is never taken for permission: sending to a refused address asks again',
  'refusal.other-ways':
    'aish stops other ways to do something that a person refused, and asks no more after the third, unless the person allows it',
  'hosts.set-up': 'An admin adds a host, compares and trusts its key, checks it, and removes it.',
  'hosts.chat': 'A chat uses a host that it was given, and asks before anything that does more than read there.',
  'hosts.read': 'A command reads on a host over SSH, with a certificate for this one command, and is recorded.',
  'hosts.halt':
    'A command that changes something on a host waits for a person, who sees the host and the command, and proceed runs exactly that.',
  'hosts.creates':
    'A command that only creates files on a host runs without a question if nothing is there, and never overwrites files that appear later.',
  'hosts.scripts':
    'The question about a script on a host shows its text; if the script changes before the command starts, aish asks again.',
  'hosts.copies': 'scp, sftp, rsync and git reach a host over SSH, and ask before they write there.',
  'hosts.certificate': 'A certificate cannot be used for another command, on another host, or after its minute.',
  'hosts.key': 'A host that knows no certificates is used with a stored key, and marked as weaker.',
  'hosts.pinned': 'aish does not connect to a host that shows another key than the trusted one.',
  'hosts.lost': 'If a host dies during a command, the action is lost, reported, and never repeated.',
  'hosts.job':
    'A goal looks at two hosts and deletes on one after a HALT that shows host, command and snapshot; undo says how to restore it.',
  'hosts.brief':
    'aish brief reads all hosts in parallel, reports findings and changes, and its key can do nothing else.',
  'hosts.faults':
    'The brief finds every planted fault on real hosts and invents none; quiet days bring one message a week.',
  'hosts.inventory':
    'A page of the knowledge base says what runs where after each check of the hosts, a model finds it, and people’s text in it stays.',
  'hosts.evidence':
    'aish keeps the masked log and state of a service before an approved command restarts it on a host, and aish show prints them.',
  'hosts.automatic-revert':
    'A host reverts a change that cuts its connection, unless aish signs in again; the card says so, or that it cannot.',
  'hosts.judged':
    'aish judges every command that arrives at a host, regardless of its origin, and runs only allowed ones.',
  'gate.hosts': 'An approval of one SSH command covers that command, and no other program on the line',
  'gate.content': 'An approval and a grant cover the content of the files that decide what a command does',
  'gate.defences': 'A prevented attack succeeds without the lines that stop it, so its test really tests them',
  'gate.cve': 'Vulnerabilities found in other agents this year do not work here, listed by number',
  'halt.execution-context':
    'A verdict and a grant cover the folder, variables and mounts that were shown, and commands run with their own PATH',
  'verdict.no-accident':
    'A card that has just appeared or moved, a repeated key, and one press of Abort decide nothing, and the screen says so',
  'verdict.note': 'Every verdict can have a note for the model, which is in the record and the audit log',
  'verdict.text-kept':
    'aish keeps the text typed for a decision that someone else answers, and says who decided and how',
  'verdict.prompt': 'Every answer that is typed at the prompt of a watched goal has an effect or a visible hint',
  'decision.several-people':
    'Two people must approve the same text if their space requires it, and neither the author nor the same person twice counts',
  'decision.change-window':
    'An approval for the change window survives restarts, can be taken back, and runs when the window opens',
  'decision.escalation':
    'The next person is notified if nobody answers, and the action still never runs without a verdict',
  'audit.chain': 'aish detects a changed row in the audit log',
  'halt.expiry': 'A HALT that nobody answers in time becomes skip or abort, never proceed',
  'goal.second-runner': 'Two runners never run one goal at the same time',
  'spaces.reach':
    'A goal or chat in a space has its network, folders, hosts, secrets, limits and instructions, and its model gets a notice of them',
  'setup.first-job':
    'aish setup and docs/first-job.md lead to a goal that reads on hosts and an API, halts before a change, and is undone',
  'spaces.image': 'Commands of a space run in the image and limits that an admin set, unchanged during a goal',
  'spaces.roles': 'Only the people that a space names can give goals, chat or decide there',
  'secrets.unseen': 'A secret reaches only its host, and no command, model, log or row contains it',
  'network.policy':
    'Commands reach only destinations that an admin lists, and aish records every destination as an event',
  'sandbox.several': 'Several sandbox services serve one api; a workspace stays with the one that created it',
  'sandbox.carry-over':
    'A command begins with the folder and variables of the last one, and a user can switch that off',
  'sandbox.leaves-nothing': 'A deleted session leaves no workspace, snapshot, network policy or container',
  'sandbox.host-folders': 'A goal gets only the allowed host folders that it names',
  'events.resume': 'An event stream resumes after Last-Event-ID with all missed events, in order, without duplicates',
  'api.bad-input': 'Bad input gets a problem document with a stable code and changes nothing',
  'api.tokens': 'Only the health check answers without a token, and a token allows only the actions of its scopes',
  'api.audit': 'Verdicts and changes of tokens and policies are recorded with the person',
  'api.metrics': 'Prometheus reads metrics with its token, and they contain no text or ID',
  'api.limits': 'An address with too many wrong tokens is blocked',
  'api.proxies':
    'Each client behind a trusted proxy is counted by its own address, and the header is ignored from anybody else',
  'api.openapi': 'The OpenAPI document describes every route',
  'launcher.start': 'npm start sets everything up, prints the address, and Ctrl-C stops everything',
  'launcher.one-per-folder': 'A second start on the same data folder reports the first and changes nothing',
  'launcher.after-kill': 'The next start works after kill -9 of the launcher',
  'tui.goal': 'The terminal UI shows goals and their timeline, starts a goal, and answers a HALT with p, s or a',
  'tui.inline': 'The inline terminal UI prints each entry once and in order, and leaves it in the scrollback',
  'tui.enter-never-proceeds': 'Enter alone never approves a destructive command',
  'tui.typing-never-decides': 'Text typed while a dialog opens or is open decides nothing and stays in the prompt',
  'tui.views': 'Each view of the terminal UI is one key away, from 80×24 up',
  'tui.chat': 'A chat in the terminal UI streams, confirms commands, shows their output, and resumes',
  'tui.memory': 'The terminal UI lists and deletes memory items',
  'tui.tools':
    'The terminal UI shows name and arguments of a tool before it is called; Enter alone answers nothing, p calls, s skips',
  'tui.triage': 'A person accepts, drops or edits proposed memories one by one in the terminal UI',
  'tui.knowledge':
    'The terminal UI lists and searches the knowledge base, shows a node, follows its links and goes back',
  'tui.halt': 'A HALT in the terminal UI can be explained, edited and granted, and the grant removed',
  'tui.queue':
    'Waiting HALTs form a queue in the terminal UI; one that is answered elsewhere closes and names the person',
  'tui.pause': 'The terminal UI pauses and resumes a goal, and answers questions about it after its end',
  'tui.reconnects': 'The terminal UI says that it is offline and reconnects by itself',
  'tui.sane-terminal': 'The terminal is restored after the terminal UI was killed',
  'tui.prompt': 'The prompt accepts any character and many lines, and finds earlier input',
  'tui.profile': 'Server, token command, keys and mouse are in a file, and a different version is reported',
  'tui.pack': 'The client packs into one file that works alone in an empty folder',
  'version.one': 'The command, the api, every package and the images have the same version',
  'tui.whole-answers': 'An answer is visible from its first word, and shows commands exactly as they will run',
  'tui.typing-is-kept': 'Text typed at a question or over a page goes into the prompt completely',
  'tui.norris-which': 'Ctrl-N begins a goal at any time, and ending one of several goals asks which',
  'tui.whose': 'A decision of another chat names that chat, and does not block this one',
  'tui.menus': 'Every action on a goal or chat is in a menu and has a key, and one key searches all of them',
  'tui.output': 'The terminal UI shows complete outputs in pages, searches them, and keeps their text colours',
  'tui.skip-says-why': 'A note typed at a HALT in the terminal UI reaches the model with the verdict',
  'tui.one-conversation':
    'A goal given in a chat of the terminal UI asks questions there, reports its end there, and continues with new input',
  'tui.reads': 'Commands that only read run in a chat of the terminal UI one after another without a question',
  'tui.not-complete':
    'A goal that reports complete together with a skipped action plans again, visibly in the terminal UI',
  'tui.picked-up': 'The terminal UI reopens where the person was after its terminal was closed, with the typed text',
  'tui.names': 'Commands of the terminal UI accept the names that it shows for goals, steps and chats: g4, 4.3, c5',
  'tui.keys-of-goals': 'Priority and network of a goal have keys in the terminal UI, and the palette finds schedules',
  'tui.not-asked-again': 'A person can grant a rule for the rest of a chat in the terminal UI',
  'tui.lit': 'The selected row has a background, and a HALT shows its action once, above its keys',
  'tui.hidden-tools': 'The terminal UI says how many tools of connected servers a model does not see, and why',
  'tui.partial-answer': 'Ctrl-C at a running goal keeps the partial answer of the model',
  'tui.setup': 'aish setup runs from the terminal UI, which then returns to the same place',
  'tui.colours': 'The terminal UI obeys NO_COLOR',
  'cli.completion': 'bash, zsh and fish complete aish commands, with values from the server',
  'cli.unattended': 'A terminal can watch a goal unattended: a HALT is answered automatically after its time',
  'cli.refused-calls': 'aish ask and aish show say in a terminal why a call of a tool was refused',
  'cli.login': 'aish login signs a terminal in with a code, and a profile then names the server',
  'cli.scripts': 'aish works in scripts, with JSON, exit codes and watch',
  'notifications.messenger':
    'A person gives verdicts in Telegram and in Matrix, and forged, forwarded and replayed ones are refused',
  'notifications.phone': 'People are notified of HALTs and ended goals on their phones, and answer there',
  'safety.gate': 'Nothing that the rules or the second opinion call destructive runs without a verdict',
  'safety.probe': 'aish safety check reports the verdict on a command without running it',
  'backup.restore': 'A backup restored into an empty aish gives the same aish',
  'backup.schedule': 'Scheduled backups are made, and verified by reading them back',
  'api.device-login': 'A device signs in with a code that an admin approves, and then finds its server',
  'sign-in.provider': 'A household signs in through its own OpenID Connect provider, with roles',
  'doctor.finds': 'aish doctor finds services that are down and says what to do',
  'config.reference': 'The reference of the settings matches the schemas',
  'config.compose': 'docker compose passes on every setting of a service',
  'config.check': 'A settings file is checked without a server, with all errors at once',
  'config.files': 'The setup can be exported to files, compared with them, and applied from them, all or nothing',
  'files.in-and-out':
    'Files go into and out of a workspace through the api and aish file, and no attack reaches outside',
  'undo.preview': 'A halted command can run as a preview; its workspace stays unchanged, and proceed keeps that run',
  'undo.restores':
    'A person can undo the changes of an approved destructive command in the workspace, and the model learns of it',
  'mcp.everything-http':
    'Tools, pictures, progress, resources and prompts of a third-party server work over Streamable HTTP and SSE',
  'mcp.stdio': 'Third-party servers run over stdin and stdout in containers as hardened as those of commands',
  'mcp.stdio-space':
    'A stdio server has only the network and secrets of its space, and only models there have its tools',
  'mcp.stdio-ends': 'The container of a stdio server ends with its user, after any kill, and its files stay',
  'mcp.conformance':
    'The client and the server of aish pass the official conformance suite of MCP, in both revisions of the protocol',
  'mcp.documented': 'The commands of docs/mcp.md work',
  'mcp.questions-apart':
    'Questions from an MCP server of 2025 reach the person behind their own call while several calls run',
  'mcp.elicitation-waits':
    'A server’s question is a decision that waits for days and across restarts for one valid answer',
  'mcp.tasks-waited':
    'A goal waits for a task of a server without a worker, across kill -9; the call is made once, and cancelled if nobody waits',
  'mcp.call-once':
    'A call during which its MCP server dies is made once and recorded as lost, in chats and goals, even if the server returns',
  'goal.of-chat':
    'A goal given in a chat knows the conversation, and reports its end to the chat exactly once, across kill -9',
  'goal.needs':
    'A model’s request for access waits across kill -9; only an admin gives exactly that, and a secret’s value is typed unseen',
  'goal.questions':
    'A goal’s model asks a person with GOAL: ask, and the question waits for days and across kill -9 for one answer',
  'mcp.elicitation-open':
    'A server that waits on its open call gets its answer there, or learns in time that there is none',
  'goal.follow-up': 'An ended goal can be discussed in its own session, with the same prompt, and continued afterwards',
  'goal.memory-and-knowledge':
    'Goals use MCP tools, memory and knowledge, learn how and when to use them, and ask before writes',
  'chat.fallback':
    'Another preset answers if that is configured, and the turn says so; otherwise an unavailable model is an error',
  'chat.survives-kill':
    'A command of a chat has run once after any kill during it, and its result is taken over or reported as lost',
  'chat.stop-anywhere': 'Any api can stop an exchange that another one runs',
  'sessions.command-line': 'The command line asks in, finds, renames, forks, archives, restores and deletes sessions',
  'mcp.run-time':
    'Servers are connected, stored and disconnected at run time for every process, with encrypted secrets',
  'mcp.gate': 'A tool that the safety gate stops runs only for a person who may decide',
  'mcp.serves': 'Other programs start, show, list and cancel goals over MCP within the scopes of their token',
  'mcp.no-verdicts': 'No MCP tool gives a verdict, with any token',
  'mcp.rebinding': 'The MCP endpoint refuses foreign hosts and origins, and requests that are too large',
  'knowledge.hammer':
    'No commit of sixteen writers in two processes that are killed at random is lost or incomplete, and nothing is left over',
  'knowledge.org-lint': 'Nodes written by aish pass Emacs’s own org-lint, and both find the same errors',
  'knowledge.emacs': 'Emacs and org-roam read a clone completely, and a person’s own notes come back unchanged',
  'knowledge.curated': 'Only a file of operations that a person approved is applied',
  'knowledge.api':
    'The knowledge base gives the same answers over HTTP, on the command line and on a clone without a server',
  'knowledge.mcp':
    'The kb tools at /mcp show and write what the token’s projects and the nodes’ visibility allow, as the API does',
  'knowledge.push-hangs': 'A push that hangs blocks no write, on the server and in a clone, and ends with the service',
  'knowledge.push-failure': 'A failed push is in the log, in doctor and above the prompt when the terminal UI starts',
  'knowledge.graph': 'The graph of the knowledge base is available as DOT and SVG, limited to what the reader may see',
  'memory.cli': 'Scripts list, find, edit, delete and explain memory items',
  'memory.summarize': 'A session’s facts are proposed and reviewed one by one; scripts leave them waiting',
  'memory.planted': 'A command’s request to remember something reaches no model until a person has accepted it',
  'memory.background': 'A chat begins with the newest items, and its next turn shows new items from the chat',
  'memory.permissions': 'The permissions to read, append to and replace memory are the same over api, tools and MCP',
  'memory.triggers': 'Sessions are summarized at their end if that is set, and large documents are compacted',
  'memory.session-logs': 'The log of a goal or chat in a space is stored beside a document when it ends',
  'memory.recall': 'One search covers everything, over command, api and MCP, without data of other people',
  'memory.kill-compaction':
    'A document is the old or the new one after a kill of the api during compaction, and its archive is complete',
  'memory.many-writers':
    'Many writers in several processes leave numbers without gaps or duplicates, nothing is lost, and there is no deadlock',
  'check.bites': 'The boundary check refuses a forbidden import',
  'check.words': 'Texts avoid a few words that make sentences hard to read, and old names do not come back',
  'compose.profiles': 'Each compose profile, alone and with the others, is a valid deployment of its services',
  'compose.closed':
    'Each container is read-only, has only the capabilities it needs, limits and a health check, and is never privileged',
  'compose.socket-proxy': 'The sandbox works behind a filter before the engine that allows nothing else',
  'compose.tls':
    'The profile tls puts the api behind Caddy, which serves https with its own certificate and redirects http there',
  'home.image':
    'docker run starts all of aish in one container, docker stop ends it in time, and its volume keeps all data',
  'home.socket': 'In the one image, only the user of the sandbox can open the Docker socket',
  'home.files': 'The files for compose, systemd, Unraid and Umbrel have the form that these systems require',
  'home.move': 'One command moves the one image to another engine, with goals, token and host keys',
  'home.uninstall': 'One command removes aish, its containers, volumes and data, and its key from the hosts',
  'engines.behave':
    'Docker by socket, over SSH and rootless passes one suite, or reports what it lacks and refuses such commands',
  'compose.rootless': 'aish runs on a rootless engine of an ordinary user with the documented settings',
  'grow.machines': 'A worker and a sandbox on another machine with the same Redis and Postgres work like local ones',
  'grow.link-cut': 'No command runs twice and goals continue when the link between the machines fails and returns',
  'grow.machine-lost': 'Another machine continues the goals of a lost one; goals with a workspace there wait for it',
  'grow.compose': 'A second machine with Docker Compose adds a worker and a sandbox over a private network only',
  'grow.swarm': 'The stack file for Docker Swarm deploys aish as its README says, and a goal runs on it',
  'grow.managed-postgres':
    'Api, worker, migrator, queue and bus reach a Postgres over TLS whose certificate they check, as an ordinary role',
  'dashboard.metrics': 'The dashboard reads no metric that the services do not expose',
  'supply.pinned': 'Base images and dependencies are pinned',
  'supply.sbom': 'The package list of an image contains all its Debian and npm packages, and is valid CycloneDX',
  'supply.architectures': 'Images for amd64 and arm64 differ only in their base, because we add no native code',
  'security.routes': 'Every route of the api is in the table of the security tests',
  'security.scopes': 'Every route refuses requests without a token or without the scope it needs',
  'security.hostile': 'No route breaks or reveals internals on oversized, malformed or hostile input',
  'security.browsers': 'No page of another origin may read the answers of the api',
  'web.attacks':
    'Nothing from models, commands, people or other pages runs in the page, hides in it or acts through it',
  'web.sessions': 'A browser’s session is its own cookie, which ends with its token, alone, or with all others',
  'web.offline':
    'A verdict given offline is sent once for the decision as it was shown, or refused, and a sign-out removes everything stored',
  'web.flows':
    'A goal is given, followed live, halted and answered by a deliberate gesture, in a browser on desktop and phone',
  'web.keyboard': 'A person with only a keyboard signs in, gives a goal and answers its HALT, with a visible focus',
  'web.below-a-path':
    'The page works below a path of a reverse proxy: signing in, giving a goal, following it live and answering its HALT',
  'web.forms':
    'Hosts, spaces, event sources and event rules can be changed on the page, which shows settings without secrets',
  'web.push':
    'A browser that subscribed gets encrypted notifications even with no page open, and none after signing out',
  'web.same-words': 'The page and the terminal use the same words for the same goal',
  'web.accessible':
    'axe finds no violation of WCAG 2.2 AA on any screen of the page, on a desktop and a phone, light and dark',
  'web.drafts': 'Nothing that a person types on the page is lost or cut, and nobody else sees it',
  'web.recovers':
    'The page recovers by itself when the network is back, and a verdict that waits is named and can be taken back',
  'web.chat':
    'A streaming answer survives a reload, messages queue, and the page asks before one of them withdraws a question',
  'web.record':
    'The timeline shows the result first, a proposal beside its replacement and an undo at its step, and the audit log has sentences',
  'web.keys':
    'Letter keys, a search for anything and the commands of aish work on the page, and letter keys can be switched off',
  'web.picks': 'Forms offer the names that aish knows, and mark the field that is wrong',
  'web.live': 'Events during downtime of the api appear once and in order when it is back, in every tab',
  'web.large': 'Ten thousand lines use little memory and few elements, and the first screen loads little',
  'docs.commands': 'Every documented command is run by a test, or listed with the reason why it is not',
  'docs.tunnel': 'A laptop reaches an api on 127.0.0.1 of another machine through ssh, as documented',
  'docs.api-reference': 'The API reference matches the running api',
  'upgrade.data': 'Migrations keep every value of a database that the first release wrote',
  'upgrade.refuses-newer':
    'Api and worker refuse a database that a newer version has migrated, and name the unknown migrations',
  'upgrade.goes-on':
    'A goal that an earlier release halted is answered, asked once more with its folder, and continues after the upgrade',
  'upgrade.command':
    'aish upgrade installs a version that a person has seen, and the old or the new one runs wherever it is killed',
  'upgrade.compose':
    'aish upgrade moves an aish of docker compose to a new version with the same workers, or back, one upgrade at a time',
  'upgrade.container':
    'aish upgrade moves the one image to a new version with the same settings, or back, wherever it is killed',
  'release.same': 'Two builds of a release are compared byte by byte, and the first difference is named',
  'release.install': 'The install script installs a release that your signer has signed, and refuses any other',
  'upgrade.signed': 'A version that knows signers refuses to upgrade to a release that none of them has signed',
  'upgrade.rolls-back':
    'A version that does not work is replaced by the old one, its database and a list of what came in',
} as const;

export type RequirementId = keyof typeof REQUIREMENTS;

/** The tier of each folder of tests/src: `npm test`, or `npm run test:release`. */
export const TIERS = { check: 'test', system: 'test', tui: 'test', web: 'test', release: 'release' } as const;

/** The requirements that only `npm run test:release` proves. `npm test` proves all others. */
export const RELEASE_REQUIREMENTS: readonly RequirementId[] = [
  'refusal.other-ways',
  'main-job.llama',
  'models.thoughts-cached',
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
  'hosts.faults',
  'hosts.automatic-revert',
  'gate.hosts',
  'gate.content',
  'gate.defences',
  'gate.cve',
  'halt.execution-context',
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
  'notifications.phone',
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
  'home.image',
  'home.socket',
  'home.move',
  'home.uninstall',
  'engines.behave',
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
  'upgrade.command',
  'upgrade.compose',
  'upgrade.container',
  'release.same',
  'release.install',
  'upgrade.signed',
  'upgrade.rolls-back',
  'outward.refused',
  'web.drafts',
  'web.keys',
  'web.recovers',
  'web.picks',
  'web.chat',
  'web.record',
];

/** Returns the name of a test that proves a requirement. */
export function verifies(id: RequirementId, how?: string): string {
  return `[${id}] ${how ?? REQUIREMENTS[id]}`;
}
