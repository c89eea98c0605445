import { Argument, type Command, CommanderError, Option } from 'commander'
import { secretVariables } from '../../config/known-secrets.ts'
import { createRedactor } from '../../domain/secrets/redact.ts'
import { createOutput, reportError, type Terminal } from '../screen/output.ts'
import { version } from '../version.ts'
import { CommandLine } from './command-line.ts'
import { columns, declareOn } from './declare-command.ts'
import { followCommands } from './follow-commands.ts'
import { setUpCommands } from './set-up-commands.ts'
import { steerCommands } from './steer-commands.ts'
import { workCommands } from './work-commands.ts'

/** Runs one command line and returns its exit code. Nothing prompts. */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode = 0
  const program = createProgram(terminal)
  const declare = declareOn(program, async (action, self) => {
    const options = self.opts() as Parameters<typeof action>[2]
    const output = createOutput(terminal, { json: options.json === true })
    const args = self.processedArgs.flat().filter((arg): arg is string => typeof arg === 'string')
    exitCode = await action({ terminal, output }, args, options).catch((error) => reportError(output, error))
  })
  program.commandsGroup('Work:')
  workCommands(declare)
  program.commandsGroup('Follow (an id is that of a run or a story):')
  followCommands(declare)
  program.commandsGroup('Steer:')
  steerCommands(declare)
  program.commandsGroup('Set up:')
  setUpCommands(declare, program)
  addHelp(program)

  try {
    await program.parseAsync(argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      return reportError(createOutput(terminal, { json: argv.includes('--json') }), error)
    }
    // Without a command the help is shown, though it was not asked for.
    return error.exitCode === 0 ? 0 : 2
  }
  return exitCode
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
    .summary('more about a command')
    .action(async (name: string | undefined) => {
      const asked = name === undefined ? program : program.commands.find((each) => each.name() === name)
      if (asked) return asked.help()
      // As a command it is refused, with the one that is nearest.
      await program.parseAsync([name ?? ''], { from: 'user' })
    })
}

const epilogue = `
Examples:
${columns([
  ['demo', 'a spec built by a crew, without a key'],
  ['init', 'then commit what it wrote'],
  ['run spec.md', 'stories, built and reviewed side by side'],
  ['task "fix the login timeout"', 'the change, verified, on a branch'],
  ['task --dry-run "rename the flag"', 'the change as a diff, nothing written'],
  ['resume', 'after Ctrl-C, a crash or a power cut'],
  ['help task', 'more about a command, with examples'],
])}

Exit codes:
  0 done   1 a bug   2 usage or configuration
  3 stuck, nothing changed, skipped, verification failed, findings nobody has accepted, or not proven
  4 infrastructure   5 cancelled   6 waits for a human or is paused by one (--no-wait)
  7 a budget is reached   130 stopped with Ctrl-C

Models are named as provider:model, for example anthropic:claude-sonnet-5.`
