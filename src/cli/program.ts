import { readFileSync } from 'node:fs'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import type { CommonOptions, Context } from './context.ts'
import { cancel, resume, retry } from './control.ts'
import { demo } from './demo.ts'
import { doctor } from './doctor.ts'
import { init } from './init.ts'
import { createOutput, reportError, type Terminal } from './output.ts'
import { diff, log, report, status, watch } from './queries.ts'
import { scout, task, verify } from './start.ts'

/** Runs one command line and returns its exit code. Nothing prompts. */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode = 0
  const program = new Command('drydock')
  program
    .description('A crew of coding agents whose work leaves the dock only when it floats.')
    .version(version(), '-V, --version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    })
    .showHelpAfterError('(see drydock --help)')

  const command = <Options extends object>(
    name: string,
    about: string,
    action: (context: Context, args: readonly string[], options: CommonOptions & Options) => Promise<number>,
  ) =>
    withCommonOptions(program.command(name).description(about)).action(async (...given: unknown[]) => {
      const self = given.at(-1) as Command
      const options = self.optsWithGlobals() as CommonOptions & Options
      const output = createOutput(terminal, { json: options.json === true })
      const args = self.processedArgs.flat().filter((arg): arg is string => typeof arg === 'string')
      try {
        exitCode = await action({ terminal, output }, args, options)
      } catch (error) {
        exitCode = reportError(output, error)
      }
    })

  command('task <text...>', 'do one task: plan, change, verify in a sandbox; the result is a branch', task)
    .option('--dry-run', 'print the change as a diff; write and verify nothing')
    .option('--apply', 'leave the verified change in the working tree, uncommitted, instead of on a branch')
    .option('--constraint <text>', 'something that must hold; may be given more than once', collect, [])
    .option('--non-goal <text>', 'something to leave alone; may be given more than once', collect, [])
    .option('--file <path>', 'a file to look at first; may be given more than once', collect, [])
  command('verify [commit]', 'only the gate: build and tests of a commit, or of the working tree', verify)
  command('scout <codebase|build> <question...>', 'ask a read-only scout', scout)
  command('status [id]', 'all runs, or one of them', status)
  command('watch [id]', 'follow a run until it ends', watch)
  command('log [id]', 'what happened, event by event; or the log of a verification by its run_id', log)
  command('diff [id]', 'what a run has changed so far', diff)
  command('report [id]', 'summary or stuck report of a run', report)
  command('cancel [id]', 'end a run; its work is kept', cancel)
  command('resume [id]', 'go on with all that is unfinished', resume)
  command('retry [id]', 'start a stuck run again from its stuck report', retry).option(
    '--guidance <text>',
    'what to do differently',
  )
  command('init', 'write a configuration made from what the repository uses', init).option(
    '--user',
    'write it into your own file and leave the repository untouched',
  )
  command('doctor', 'what is missing, and the line that fixes it', doctor)
  command('demo', 'see it work on a sample repository, without a key', demo)

  try {
    await program.parseAsync(argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? 0 : 2
  }
  return exitCode
}

function withCommonOptions(command: Command): Command {
  return command
    .option('--repo <dir>', 'the repository (default: here)')
    .option('--json', 'one JSON event a line on stdout')
    .option('--model <id>', 'model of every role, as provider:model')
    .option('--editor-model <id>', 'model of the editor')
    .option('--scout-model <id>', 'model of the scouts')
    .option('--target <branch>', 'branch to start from (default: the one checked out)')
    .option('--max-coders <n>', 'tasks that are worked on at once', positive)
    .option('--config <file>', 'configuration to use instead of the committed one')
    .addOption(new Option('--sandbox <backend>', 'sandbox backend').choices(['bubblewrap', 'docker', 'podman']))
    .addOption(new Option('--no-ui', 'accepted for scripts: there is no dashboard yet').hideHelp())
    .addOption(new Option('--no-wait', 'accepted for scripts: a task never waits for a human').hideHelp())
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}

function positive(value: string): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 1 || number > 999) throw new InvalidArgumentError('a number from 1 to 999')
  return number
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
