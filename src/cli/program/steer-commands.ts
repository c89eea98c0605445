import { Option } from 'commander'
import { dollars, groups, port, snapshotNumber, tokens } from './command-options.ts'
import { type Declare, late } from './declare-command.ts'

const control = () => import('../control.ts')

const { anywhere, crew, ground } = groups

/** The commands that steer runs which are there. */
export function steerCommands(command: Declare): void {
  command('reply <message> <text...>', {
    about: 'answer a question',
    more: 'The message is the number that the question has in `drydock chat` and `drydock status`.',
    examples: [['reply 12 "round half up"', 'answer question 12']],
    common: anywhere,
    action: late(
      () => import('../reply.ts'),
      ({ reply }) => reply,
    ),
  })
  command('accept <id> <finding...>', {
    about: 'accept findings of a review or of the gate as they are',
    more: 'The id is a run or a story. A story whose last open finding is accepted continues without another round. `no_change` accepts a task that changed nothing.',
    examples: [
      ['accept parser c2 c3', 'findings of a story that is being built'],
      ['accept <run> g-1a2b3c4d5e6f', 'a finding of the gate on the result of a task'],
    ],
    common: anywhere,
    action: late(
      () => import('../accept-findings.ts'),
      ({ accept }) => accept,
    ),
  })
  command('cancel [id]', {
    about: 'end a run; its work is kept',
    more: 'Without an id it ends the latest run that is unfinished. What was done can be brought back with `drydock restore`.',
    examples: [['cancel', 'end the latest unfinished run']],
    common: [...anywhere, 'wait'],
    action: late(control, (module) => module.cancel),
  })
  command('pause [id]', {
    about: 'finish the current steps of a run, and start no new ones',
    more: 'Without an id it pauses the latest run that is unfinished. Only `drydock resume`, or the command that names the run, continues it.',
    examples: [['pause', 'pause the latest unfinished run']],
    common: anywhere,
    action: late(
      () => import('../pause.ts'),
      ({ pause }) => pause,
    ),
  })
  command('resume [id]', {
    about: 'continue what is unfinished',
    more: 'Without an id it continues all that is unfinished. When nothing is, it prints the last result again, with its exit code. Models that you name replace those of the runs.',
    examples: [
      ['resume', 'continue everything'],
      ['resume durations-1f2e3d', 'continue one run'],
      ['resume --model anthropic:claude-sonnet-5-5', 'continue with another model'],
    ],
    common: [...anywhere, ...crew, 'sandbox', 'maxCoders', 'maxWait', 'wait', 'record'],
    action: late(control, (module) => module.resume),
  })
  command('retry [id]', {
    about: 'start a stuck task or story again from its stuck report',
    more: 'Without an id it takes the latest task that ended without a result. A story of a spec must be named. It goes on from the work that was kept.',
    examples: [
      ['retry', 'the latest task that is stuck'],
      ['retry parser --guidance "use the tokenizer"', 'a story, told what to do differently'],
    ],
    common: [...anywhere, ...crew, 'sandbox', 'maxCoders', 'maxWait', 'wait', 'record'],
    own: [['--guidance <text>', 'what to do differently']],
    action: late(control, (module) => module.retry),
  })
  command('restore <story>', {
    about: 'bring a snapshot of a story back, onto a branch of its own',
    more: 'Snapshots are kept while a story is worked on. Nothing that is there is touched: the snapshot becomes a new branch.',
    examples: [
      ['restore parser --list', 'show which snapshots there are'],
      ['restore parser', 'the newest, on drydock/restored/parser-<n>'],
      ['restore parser --at 2 --branch old-parser', 'the second, on a branch that you name'],
    ],
    common: anywhere,
    own: [
      ['--list', 'only show which there are'],
      new Option('--at <n>', 'the snapshot (default: the newest)').argParser(snapshotNumber),
      ['--run <id>', 'the run that the story is of (default: the latest that has it)'],
      ['--branch <name>', 'name of the new branch (default: drydock/restored/<story>-<n>)'],
    ],
    action: late(
      () => import('../tidy/restore.ts'),
      ({ restore }) => restore,
    ),
  })
  command('budget [id]', {
    about: 'show the budget of a run, or raise it',
    more: 'Without an id it is about the latest run that is unfinished, or else the latest.',
    examples: [
      ['budget', 'what the run may cost, and what it has cost'],
      ['budget --raise 5', 'allow 5 dollars more'],
    ],
    common: anywhere,
    own: [
      new Option('--raise <usd>', 'dollars more').argParser(dollars),
      new Option('--raise-tokens <n>', 'tokens more').argParser(tokens),
    ],
    action: late(
      () => import('../budget.ts'),
      ({ budget }) => budget,
    ),
  })
  command('serve', {
    about: 'serve the dashboard to your browser, and continue all work',
    more: 'It works until Ctrl-C. The options for models, target, configuration and budget are for the runs that you start in the browser.',
    examples: [
      ['serve', 'open the link that it prints'],
      ['serve --no-own', 'only show; leave the work to other processes'],
    ],
    common: [...anywhere, ...crew, ...ground, 'maxCoders', 'budgetUsd'],
    own: [
      new Option('--port <n>', 'port to ask for (default: 4517, or the next that is free)').argParser(port),
      ['--no-own', 'only show; leave the work to other processes'],
      ['--end-sessions', 'first sign out every browser, and void every link, of all repositories'],
    ],
    action: late(
      () => import('../serve.ts'),
      ({ serve }) => serve,
    ),
  })
  command('mcp', {
    about: 'serve the runs to an MCP client, over stdin and stdout',
    more: 'An MCP client starts it. docs/mcp.md shows how to add it to one.',
    examples: [['mcp --repo /home/you/project', 'the line for the configuration of a client']],
    common: ['repo', 'sandbox'],
    action: late(
      () => import('../mcp.ts'),
      ({ mcp }) => mcp,
    ),
  })
}
