import { Argument, type Command, CommanderError, Option } from 'commander'
import { secretVariables } from '../../config/known-secrets.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { createRedactor } from '../../domain/secrets/redact.ts'
import { version } from '../../processes/installation.ts'
import { createOutput, reportError, type Terminal } from '../screen/output.ts'
import { CommandLine } from './command-line.ts'
import { columns, declareOn } from './declare-command.ts'
import { followCommands } from './follow-commands.ts'
import { setUpCommands } from './set-up-commands.ts'
import { steerCommands } from './steer-commands.ts'
import { workCommands } from './work-commands.ts'

/** Runs one command line and returns its exit code. Never prompts. */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const exit = { code: 0 }
  try {
    await parse(argv, terminal, exit)
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      return reportError(createOutput(terminal, { json: argv.includes('--json') }), error)
    }
    // A missing command also prints help, but is a usage error.
    return error.exitCode === 0 ? 0 : 2
  }
  return exit.code
}

/**
 * Declares only the named command, since declaring all of them adds 10 ms to every start. A command
 * line with an error is parsed again with all commands, for a complete message.
 */
async function parse(argv: readonly string[], terminal: Terminal, exit: { code: number }): Promise<void> {
  const [named = ''] = argv
  const alone = declared(terminal, exit, (name) => name === named)
  if (alone.commands.length > 0) {
    try {
      await alone.parseAsync(argv, { from: 'user' })
      return
    } catch (error) {
      if (!(error instanceof DrydockError && error.code === 'bad_usage')) throw error
    }
  }
  await whole(terminal, exit).parseAsync(argv, { from: 'user' })
}

function whole(terminal: Terminal, exit: { code: number }): Command {
  const program = declared(terminal, exit)
  addHelp(program)
  return program
}

/** Creates the program with the commands for which `isWanted` is true. */
function declared(terminal: Terminal, exit: { code: number }, isWanted = (_name: string) => true): Command {
  const program = createProgram(terminal)
  const declare = declareOn(program, isWanted, async (action, self) => {
    const takesHub = self.options.some((option) => option.attributeName() === 'hub')
    const options = { ...self.opts(), ...(!takesHub && { hub: null }) } as Parameters<typeof action>[2]
    const output = createOutput(terminal, { json: options.json === true })
    const args = self.processedArgs.flat().filter((arg): arg is string => typeof arg === 'string')
    exit.code = await action({ terminal, output, runCommand: run }, args, options).catch((error) =>
      reportError(output, error),
    )
  })
  program.commandsGroup('Work:')
  workCommands(declare)
  program.commandsGroup('Follow (an id names a run or a story):')
  followCommands(declare)
  program.commandsGroup('Steer:')
  steerCommands(declare)
  program.commandsGroup('Set up:')
  setUpCommands(declare, () => whole(terminal, exit))
  return program
}

function createProgram(terminal: Terminal): CommandLine {
  const program = new CommandLine('drydock')
    .description(
      'A crew of coding agents builds what you describe. Their work is merged only after a clean build and test.',
    )
    .version(version(), '-v, --version', 'print the version')
    .addOption(new Option('-V').hideHelp())
    .on('option:V', () => {
      terminal.stdout.write(`${version()}\n`)
      throw new CommanderError(0, 'commander.version', version())
    })
    .enablePositionalOptions()
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(createRedactor(secretVariables(terminal.env))(text)),
      getOutHelpWidth: () => terminal.stdout.columns || 80,
      getErrHelpWidth: () => terminal.stderr.columns || 80,
    })
    .configureHelp({
      subcommandTerm: (each) => `${each.name()} ${each.usage().replace(/^\[options\] ?/, '')}`.trimEnd(),
    })
    .addHelpText('after', epilogue)
  return program as CommandLine
}

function addHelp(program: Command): void {
  const named = program.commands.map((each) => each.name())
  const command = new Argument('[command]')
  command.argChoices = named
  program
    .command('help')
    .addArgument(command)
    .summary('explain a command')
    .action(async (name: string | undefined) => {
      const asked = name === undefined ? program : program.commands.find((each) => each.name() === name)
      if (asked) return asked.help()
      // Parsing the name as a command refuses it and suggests the nearest command.
      await program.parseAsync([name ?? ''], { from: 'user' })
    })
}

const epilogue = `
Examples:
${columns([
  ['demo', 'watch a crew build a spec, without a key'],
  ['init', 'write a configuration, then commit it'],
  ['run spec.md', 'build and review stories in parallel'],
  ['task "fix the login timeout"', 'make one verified change, on a branch'],
  ['task --dry-run "rename the flag"', 'print the change as a diff, write nothing'],
  ['resume', 'continue after Ctrl-C, a crash or a power cut'],
  ['help task', 'explain a command, with examples'],
])}

Exit codes:
  0 done   1 a bug   2 usage or configuration
  3 stuck, nothing changed, too vague, skipped, verification failed, findings nobody has accepted, or not proven
  4 infrastructure   5 cancelled   6 waits for a human, or a human paused it (--no-wait)
  7 a budget is reached   130 stopped with Ctrl-C

Models are named as provider:model, for example anthropic:claude-sonnet-5.`
