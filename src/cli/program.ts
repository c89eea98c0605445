import { Command, CommanderError, Option } from 'commander'
import { secretVariables } from '../config/known-secrets.ts'
import { createRedactor } from '../domain/redact.ts'
import { dollars, port, repeatable, type Shown, snapshotNumber, tokens, withCommonOptions } from './command-options.ts'
import type { CommonOptions, Context } from './context.ts'
import { createOutput, reportError, type Terminal } from './output.ts'
import { version } from './version.ts'

type Action<Options> = (context: Context, args: readonly string[], options: CommonOptions & Options) => Promise<number>

/** Loads what a command needs when it is called: `--version` and `--help` need none of it. */
function late<Module, Options>(
  load: () => Promise<Module>,
  pick: (module: Module) => Action<Options>,
): Action<Options> {
  return async (...given) => pick(await load())(...given)
}

const start = () => import('./start.ts')
const spec = () => import('./run-spec.ts')
const queries = () => import('./queries.ts')
const control = () => import('./control.ts')

/** Runs one command line and returns its exit code. Nothing prompts. */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode = 0
  const program = new Command('drydock')
    .description('A crew of coding agents whose work leaves the dock only when it floats.')
    .version(version(), '-V, --version')
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
    .showHelpAfterError('(see drydock --help)')
    .addHelpText('after', epilogue)

  const command = <Options extends object>(
    name: string,
    about: string,
    { shown = ['repository'], action }: { readonly shown?: readonly Shown[]; readonly action: Action<Options> },
  ) =>
    withCommonOptions(program.command(name).description(about), shown).action(async (...given: unknown[]) => {
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

  program.commandsGroup('Work:')
  command('run [spec...]', 'build a spec with a crew: a file, - for what is piped in, or a line of text', {
    shown: ['repository', 'start', 'models', 'architect', 'slots', 'budget', 'wait', 'record', 'dashboard'],
    action: late(spec, (module) => module.runSpec),
  })
    .option('--review-stories', 'stop before the stories are started, until you approve them')
    .option('--plan <file>', 'build the stories of a file, as `plan --output` writes it')
    .option('--again', 'anew, though the same spec was built before')
  command('plan [spec...]', 'only the stories of a spec', {
    shown: ['repository', 'start', 'models', 'architect', 'slots', 'budget', 'record'],
    action: late(spec, (module) => module.planSpec),
  })
    .option('--output <file>', 'write them into a new file, to be edited')
    .option('--again', 'anew, though the same spec was planned before')
  command('task [text...]', 'plan, change and verify; the result is a branch', {
    shown: ['repository', 'start', 'models', 'slots', 'budget', 'record', 'dashboard'],
    action: late(start, (module) => module.task),
  })
    .option('--dry-run', 'print the change as a diff; write and verify nothing')
    .option('--apply', 'leave the verified change in the working tree, uncommitted, instead of on a branch')
    .addOption(repeatable('--constraint <text>', 'something that must hold'))
    .addOption(repeatable('--non-goal <text>', 'something to leave alone'))
    .addOption(repeatable('--file <path>', 'a file to look at first'))
    .addOption(repeatable('--accept <id>', 'take a finding of the gate as it is; without a text, of the last task'))
    .option('--run <id>', 'with --accept and no text: the task that is meant')
  command('verify [commit]', 'only the gate, on a commit or the working tree', {
    shown: ['repository', 'start', 'slots'],
    action: late(start, (module) => module.verify),
  })
  command('scout <kind> <question...>', 'ask a read-only scout: codebase or build', {
    shown: ['repository', 'start', 'models', 'slots', 'budget', 'record'],
    action: late(start, (module) => module.scout),
  })

  program.commandsGroup('Follow and steer (an id is a run’s or a story’s; without one the latest is meant):')
  command('status [id]', 'all runs, or one of them with its stories', {
    action: late(
      () => import('./status.ts'),
      ({ status }) => status,
    ),
  })
  command('watch [id]', 'follow a run until it ends', {
    shown: ['repository', 'wait'],
    action: late(queries, (module) => module.watch),
  })
  command('log [id]', 'what happened; with a run_id, a verification’s log', {
    action: late(queries, (module) => module.log),
  })
  command('diff [id]', 'what a run or a story has changed so far', { action: late(queries, (module) => module.diff) })
  command('report [id]', 'what became of a run or a story', {
    action: late(
      () => import('./report.ts'),
      ({ report }) => report,
    ),
  })
  command('chat [id]', 'what was said in a run, and what it asks you', {
    action: late(
      () => import('./chat.ts'),
      ({ chat }) => chat,
    ),
  })
    .option('--story <id>', 'only the thread of a story')
    .option('--post <text>', 'say something to the run, or to the story')
  command('reply <message> <text...>', 'answer a question', {
    action: late(
      () => import('./reply.ts'),
      ({ reply }) => reply,
    ),
  })
  command('cancel [id]', 'end a run; its work is kept', {
    shown: ['repository', 'slots'],
    action: late(control, (module) => module.cancel),
  })
  command('pause [id]', 'begin nothing more of a run until it is resumed; what is under way ends', {
    action: late(
      () => import('./pause.ts'),
      ({ pause }) => pause,
    ),
  })
  command('resume [id]', 'go on with all that is unfinished', {
    shown: ['repository', 'models', 'architect', 'slots', 'wait', 'record'],
    action: late(control, (module) => module.resume),
  })
  command('retry [id]', 'start a stuck task or story again from its stuck report', {
    shown: ['repository', 'models', 'slots'],
    action: late(control, (module) => module.retry),
  }).option('--guidance <text>', 'what to do differently')

  command('restore <story>', 'bring a snapshot of a story back, onto a branch of its own', {
    action: late(
      () => import('./restore.ts'),
      ({ restore }) => restore,
    ),
  })
    .option('--list', 'only show which there are')
    .addOption(new Option('--at <n>', 'the snapshot (default: the newest)').argParser(snapshotNumber))
    .option('--run <id>', 'the run that the story is of (default: the latest that has it)')
    .option('--branch <name>', 'name of the new branch (default: drydock/restored/<story>-<n>)')

  command('receipt <what> [commit]', 'the signed receipt of a commit: show or verify it; key prints the public key', {
    action: late(
      () => import('./receipt.ts'),
      ({ receipt }) => receipt,
    ),
  }).option('--key <file>', 'trust this public key, and no other')

  command('budget [id]', 'what a run may spend and has spent; or allow more', {
    action: late(
      () => import('./budget.ts'),
      ({ budget }) => budget,
    ),
  })
    .addOption(new Option('--raise <usd>', 'dollars more').argParser(dollars))
    .addOption(new Option('--raise-tokens <n>', 'tokens more').argParser(tokens))

  command('serve', 'serve the dashboard to your browser, and go on with all work', {
    shown: ['repository', 'start', 'models', 'architect', 'slots'],
    action: late(
      () => import('./serve.ts'),
      ({ serve }) => serve,
    ),
  })
    .addOption(new Option('--port <n>', 'port to ask for (default: 4517, or the next that is free)').argParser(port))
    .option('--no-own', 'only show; leave the work to other processes')
    .option('--end-sessions', 'first sign out every browser, and void every link, of all repositories')
  command('mcp', 'serve the runs to an MCP client, over stdin and stdout', {
    action: late(
      () => import('./mcp.ts'),
      ({ mcp }) => mcp,
    ),
  })

  program.commandsGroup('Set up:').helpCommand('help [command]', 'more about a command')
  command('init', 'write a configuration from what is there, and run the gate once', {
    action: late(
      () => import('./init.ts'),
      ({ init }) => init,
    ),
  })
    .option('--user', 'write it into your own file and leave the repository untouched')
    .option('--no-verify', 'do not run the gate')
  command('gc', 'make the state small again: old artifacts, caches, history', {
    action: late(
      () => import('./gc.ts'),
      ({ gc }) => gc,
    ),
  })
  command('doctor', 'what is missing, and the line that fixes it', {
    shown: ['repository', 'start', 'models'],
    action: late(
      () => import('./doctor.ts'),
      ({ doctor }) => doctor,
    ),
  }).option('--security', 'attack this installation with a hostile repository, and say what held')
  command('notify', 'try the hooks of your configuration', {
    action: late(
      () => import('./notify.ts'),
      ({ notify }) => notify,
    ),
  }).requiredOption('--test', 'send them one message that says it is a test')
  command('demo', 'see it work on a sample, without a key', {
    shown: ['dashboard'],
    action: late(
      () => import('./demo.ts'),
      ({ demo }) => demo,
    ),
  }).option('--interactive', 'the question of the demo waits for you, instead of for a recorded human')

  try {
    await program.parseAsync(argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return 0
    const message = error.message.replace(/^error: /, '')
    const output = createOutput(terminal, { json: argv.includes('--json') })
    output.emit({ type: 'error', code: 'bad_usage', message, todo: 'drydock --help' })
    return 2
  }
  return exitCode
}

const epilogue = `
Examples:
  drydock demo                               a spec built by a crew, without a key
  drydock init                               then commit what it wrote
  drydock run spec.md                        stories, built and reviewed side by side
  drydock task "fix the login timeout"       the change, verified, on a branch
  drydock task --dry-run "rename the flag"   the change as a diff, nothing written
  drydock resume                             after Ctrl-C, a crash or a power cut

Exit codes:
  0 done   1 a bug   2 usage or configuration
  3 stuck, skipped, verification failed, findings nobody has accepted, or not proven
  4 infrastructure   5 cancelled   6 waits for a human or is paused by one (--no-wait)
  7 a budget is reached   130 stopped with Ctrl-C

Models are named as provider:model, for example anthropic:claude-sonnet-5-5.`
