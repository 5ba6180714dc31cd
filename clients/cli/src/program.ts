import { VERSION } from '@aish/contracts/health';
import { nearestWord } from '@aish/contracts/nearest';
import { Argument, Command, InvalidArgumentError, Option as CommanderOption } from 'commander';
import { type AnyCommand, type Option, type Positional, optionName } from './command.js';
import { connect, type Context } from './context.js';
import { completionCommands } from './completion.command.js';
import { helpCommand, overview, pathOf, unknownCommand } from './help.js';
import { GROUPS } from '@aish/views/commands/table';
import { COMMANDS } from './table.js';
import { oneLine } from '@aish/views/sanitise';

/** A command table, with the program's own help. */
interface Face {
  readonly name: string;
  readonly about: string;
  /** The text at the end of the help. */
  readonly help: string;
  readonly commands: readonly AnyCommand[];
  readonly groups: Readonly<Record<string, string>>;
}

/** Builds the table of `aish` as a commander program. */
export function makeProgram(context: Context): Command {
  const commands = [...COMMANDS, ...completionCommands(COMMANDS, GROUPS)];
  const face = { name: 'aish', about: 'An AI shell for your homelab.', help: '', groups: GROUPS };
  const help = helpCommand(() => program, commands);
  const program: Command = programOf({ ...face, commands: [...commands, help] }, context);
  program.helpInformation = () => overview(commands);
  addTuiAction(program, context); // this comes last, because commands would inherit its leniency with arguments
  return program;
}

/** Builds a table as a commander program, with the options that select a server. */
export function programOf({ name, about, help, commands, groups }: Face, context: Context): Command {
  const { io } = context;
  const program = new Command(name)
    .description(about)
    .version(VERSION)
    .option('--url <url>', 'address of the api')
    .option('--token-file <path>', 'file that contains the bearer token')
    .option('--profile <name>', 'a profile in the profiles file')
    .configureHelp({ showGlobalOptions: true, helpWidth: io.stdout.columns ?? 100 })
    .addHelpText('after', help)
    .helpCommand(false)
    .showHelpAfterError(`(see ${name} --help)`)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(plainError(text)),
    })
    .exitOverride();
  const made = new Map<string, Command>([['', program]]);
  // A command that is also a group, such as `backup`, is added first.
  for (const spec of commands.toSorted((a, b) => depthOf(a.name) - depthOf(b.name))) {
    made.set(spec.name, add(parentOf(spec.name, groups, made), lastWord(spec.name), spec, context));
  }
  for (const spec of commands) {
    for (const name of (spec.short ?? []).filter((each) => depthOf(each) > 1 || depthOf(spec.name) > 1)) {
      add(parentOf(name, groups, made), lastWord(name), { ...spec, name, short: [], isHidden: true }, context);
    }
  }
  return program;
}

/** Returns the label of an argument, such as `<goal...>` or `[ref]`. */
export function positionalLabel(key: string, { shape }: Positional): string {
  const name = shape === 'many' || shape === 'any' ? `${key}...` : key;
  return shape === 'one' || shape === 'many' ? `<${name}>` : `[${name}]`;
}

const depthOf = (name: string): number => name.split(' ').length;
const lastWord = (name: string): string => name.split(' ').at(-1) ?? '';

/** Returns the group of a command, which is created if it does not exist. */
function parentOf(name: string, groups: Face['groups'], made: Map<string, Command>): Command {
  const path = name.split(' ').slice(0, -1).join(' ');
  const known = made.get(path);
  if (known !== undefined) return known;
  const group = parentOf(path, groups, made).command(lastWord(path));
  group.showHelpAfterError(`(see ${helpOf(group)})`);
  made.set(path, group.description(groups[path] ?? ''));
  return group;
}

function add(parent: Command, name: string, spec: AnyCommand, context: Context): Command {
  const args = Object.entries(spec.args ?? {});
  const command = parent.command(name, { hidden: spec.isHidden === true }).description(spec.about);
  command.aliases((spec.short ?? []).filter((each) => depthOf(each) === 1 && depthOf(spec.name) === 1));
  command.showHelpAfterError(`(see ${helpOf(command)})`);
  for (const [key, positional] of args) command.addArgument(argumentOf(key, positional));
  for (const [key, option] of Object.entries(spec.options ?? {})) command.addOption(optionOf(key, option));
  if (spec.json !== undefined) command.option('--json', spec.json);
  if (spec.takesAnyOption === true) command.allowUnknownOption();
  command.addHelpText('after', afterHelp(spec));
  command.action(async () => {
    const { json: _, ...options } = command.opts<{ json?: true }>();
    // In `aish backup restore FILE --json`, commander assigns the option to `backup`, which has one too.
    const { json } = command.optsWithGlobals<{ json?: true }>();
    const values = args.map(([key], index) => [key, command.processedArgs[index] as unknown] as const);
    await spec.run({
      args: Object.fromEntries(values.map(([key, value]) => [key, value ?? defaultOf(spec, key)])),
      options: { ...options, json: json === true },
      io: context.io,
      connect: () => connect(command, context),
      serveEditor: context.serveEditor,
      exit: context.exit,
    });
  });
  return command;
}

/** Returns the help command of a command, such as `aish help kb query`. */
function helpOf(command: Command): string {
  const [name, ...words] = pathOf(command).split(' ');
  return [name, 'help', ...words].join(' ');
}

function defaultOf(spec: AnyCommand, key: string): readonly string[] | undefined {
  return spec.args?.[key]?.shape === 'any' ? [] : undefined;
}

/** Returns commander's error about an argument in words for people. */
function plainError(text: string): string {
  return text.replace(
    /^error: command-argument value '(.*)' is invalid for argument '(.*)'\. /s,
    "error: '$1' is not a valid $2. ",
  );
}

function argumentOf(key: string, positional: Positional): Argument {
  const argument = new Argument(positionalLabel(key, positional), positional.about);
  const { choices } = positional;
  if (choices !== undefined) return argument.choices(choices).argParser((text: string) => chosenFrom(choices, text));
  const isMany = positional.shape === 'many' || positional.shape === 'any';
  return isMany ? argument : argument.argParser((text: string) => positional.read(text));
}

/** @throws InvalidArgumentError with the nearest word and all words */
function chosenFrom(choices: readonly string[], typed: string): string {
  if (choices.includes(typed)) return typed;
  const meant = nearestWord(typed, choices);
  const guess = meant === null ? '' : `Did you mean ${meant}? `;
  throw new InvalidArgumentError(`${guess}Allowed choices are ${choices.join(', ')}.`);
}

function optionOf(key: string, { short, takes, about, read, choices, isRepeatable }: Option): CommanderOption {
  const names = short === undefined ? optionName(key) : `${short}, ${optionName(key)}`;
  if (takes === undefined) return new CommanderOption(names, about);
  const option = new CommanderOption(`${names} <${takes}>`, about);
  if (choices !== undefined) return option.choices(choices).argParser((text: string) => chosenFrom(choices, text));
  if (isRepeatable !== true) return option.argParser((text: string) => read(text));
  return option.argParser((text: string, before: readonly unknown[] | undefined) => [...(before ?? []), read(text)]);
}

function afterHelp({ examples, exits }: AnyCommand): string {
  const codes = Object.entries(exits ?? {}).map(([code, meaning]) => `\n  ${code}  ${meaning}`);
  const shown = examples.map((example) => `\n  $ ${example}`).join('');
  return `\nExample${examples.length === 1 ? '' : 's'}:${shown}${codes.length === 0 ? '' : `\n\nExit codes:${codes.join('')}`}`;
}

/** Makes `aish` without a command open the terminal UI. */
function addTuiAction(program: Command, context: Context): void {
  program.option('--inline', 'leave the scrollback to the terminal');
  program.allowExcessArguments().action(async (options: Parameters<Context['openTui']>[0], command: Command) => {
    if (command.args.length > 0) command.error(unknownCommand(command, oneLine(command.args[0] ?? '')));
    context.exit(await context.openTui(options));
  });
}
