import { Option } from 'commander'
import { acceptanceCommand } from './acceptance-command.ts'
import {
  collect,
  dollars,
  groups,
  label,
  pollSeconds,
  port,
  repeatable,
  snapshotNumber,
  tokens,
} from './command-options.ts'
import { type Declare, late } from './declare-command.ts'
import { hubCommands } from './hub-commands.ts'

const control = () => import('../commands/control.ts')

const { anywhere, byHub, crew, ground } = groups

/** The reason of a person, and the place that keeps it. */
const reason = (where: string) => ['--reason <text>', `why you do so; ${where}`] as const

/** Declares the commands that control existing runs. */
export function steerCommands(command: Declare): void {
  command('reply <message> <text...>', {
    about: 'answer a question',
    more: '<message> is the number of the question in `drydock chat` or `drydock status`.',
    examples: [['reply 12 "round half up"', 'answer question 12']],
    common: byHub,
    action: late(
      () => import('../commands/reply.ts'),
      ({ reply }) => reply,
    ),
  })
  command('assign <message> [person]', {
    about: 'say whom of a hub a question is for',
    more: 'The person is told (`notify.on`), and everybody may still answer. Without a person the question is for everybody again.',
    examples: [
      ['assign 12 bea', 'question 12 is for bea'],
      ['assign 12', 'it is for everybody again'],
    ],
    common: byHub,
    action: late(
      () => import('../commands/reply.ts'),
      ({ assign }) => assign,
    ),
  })
  command('accept <id> <finding...>', {
    about: 'accept findings of a review or of the gate',
    more: '<id> names the run or the story, <finding> what you accept there, as `drydock report` shows it. Once every open finding of a story is accepted, the story continues without another review.',
    examples: [
      ['accept parser c2 c3', 'accept two findings of a story'],
      ['accept <run> g-1a2b3c4d5e6f', 'accept a gate finding on the result of a task'],
      ['accept <run> no_change', 'accept that a task changed nothing'],
      ['accept parser c2 --reason "a cache may be stale"', 'say why: the receipt keeps it'],
    ],
    common: byHub,
    own: [reason('the receipt keeps it')],
    action: late(
      () => import('../commands/accept-findings.ts'),
      ({ accept }) => accept,
    ),
  })
  acceptanceCommand(command)
  command('review [id]', {
    about: 'comment on a change, or show the comments and what became of each',
    more: 'A comment is a place and a text. The place is PATH, PATH:LINE or PATH:FIRST-LAST; `.` is the whole change. While a story is being built, it is not done before each comment is settled or accepted. After that, a task builds on the branch of the run and adds its verified commit.',
    examples: [
      ['review', 'show the comments on the latest result'],
      ['review parser --comment src/parse.ts:10-12 "use a Set here"', 'comment on three lines of a story'],
      ['review <run> --file remarks.json', 'submit many at once'],
    ],
    common: [...anywhere, 'sandbox', 'maxWait', 'wait'],
    own: [
      new Option('--comment <place-and-text...>', 'a place and a text; repeatable').argParser(collect),
      ['--file <file>', 'a JSON list of comments: [{ "path": …, "start": …, "end": …, "text": … }]'],
      ['--author <name>', 'who makes the comments (default: the author of your commits)'],
    ],
    action: late(
      () => import('../commands/review.ts'),
      ({ review }) => review,
    ),
  })
  command('cancel [id]', {
    about: 'end a run and keep its work',
    more: 'Without an id it ends the latest unfinished run. `drydock restore` brings the work back.',
    examples: [
      ['cancel', 'end the latest unfinished run'],
      ['cancel --reason "the spec has changed"', 'say why: the chat keeps it'],
    ],
    common: [...byHub, 'wait'],
    own: [reason('the chat keeps it')],
    action: late(control, (module) => module.cancel),
  })
  command('pause [id]', {
    about: 'finish the current steps of a run and start no new ones',
    more: 'Without an id it pauses the latest unfinished run. Only `drydock resume`, or a command that names the run, continues it.',
    examples: [['pause', 'pause the latest unfinished run']],
    common: byHub,
    action: late(
      () => import('../commands/pause.ts'),
      ({ pause }) => pause,
    ),
  })
  command('resume [id]', {
    about: 'continue unfinished runs',
    more: 'Without an id it continues all unfinished runs. If there are none, it continues a task that ended in INFRA_ERROR, or prints the last result again and ends with its exit code. A verification or merge that the infrastructure had ended is done again. Models you name here replace the models of the runs.',
    examples: [
      ['resume', 'continue everything'],
      ['resume durations-1f2e3d', 'continue one run'],
      ['resume --model anthropic:claude-sonnet-5-5', 'continue with another model'],
    ],
    common: [...byHub, ...crew, 'sandbox', 'maxCoders', 'maxWait', 'wait', 'record'],
    action: late(control, (module) => module.resume),
  })
  command('retry [id]', {
    about: 'start a stuck task or story again from its stuck report',
    more: 'Without an id it retries the latest run. You must name a cancelled run or a story of a spec. The retry continues from the kept work. After an INFRA_ERROR at a verification or merge it goes on there, unless you give guidance.',
    examples: [
      ['retry', 'retry the latest run, a stuck task'],
      ['retry parser --guidance "use the tokenizer"', 'retry a story with advice'],
    ],
    common: [...byHub, ...crew, 'sandbox', 'maxCoders', 'maxWait', 'wait', 'record'],
    own: [['--guidance <text>', 'what to do differently']],
    action: late(control, (module) => module.retry),
  })
  command('land [id]', {
    about: 'hand a verified result over: as a pull request, onto a branch, or into your working tree',
    more: 'Without an id it uses the latest task or spec. --pr pushes the branch with its receipts and opens a pull request, or updates the one that is open. --onto merges into a local branch if the merged result passes the gate. --apply changes your files and commits nothing.',
    examples: [
      ['land --pr', 'open a pull request for the latest result'],
      ['land parser-1f2e3d --pr --reviewer ada', 'of one run, and ask somebody to review it'],
      ['land --onto main', 'verify the merge with main, then move main'],
      ['land --apply', 'put the change into the working tree, uncommitted'],
    ],
    common: [...anywhere, 'sandbox', 'wait'],
    own: [
      ['--pr', 'open a pull request (a merge request on GitLab), or update it'],
      ['--onto <branch>', 'merge into this local branch'],
      ['--apply', 'put the change into the working tree, uncommitted'],
      ['--remote <name>', 'with --pr: the remote to push to (default: origin)'],
      [
        '--base <branch>',
        'with --pr: the branch to merge into (default: the one that --target named for the run, else the default branch of the remote)',
      ],
      ['--forge <name>', 'with --pr: the forge, if the URL of the remote does not tell it'],
      repeatable('--reviewer <account>', 'with --pr: somebody to ask for a review'),
      ['--draft', 'with --pr: open it as a draft'],
      repeatable('--accept <finding>', 'with --onto: accept this gate finding on the merged result'),
      ['--anyway <reason>', 'land what others hold; the receipt keeps the reason'],
    ],
    action: late(
      () => import('../commands/land.ts'),
      ({ land }) => land,
    ),
  })
  command('forge <what>', {
    about: 'watch the forge: issues become runs, comments answer questions',
    more: 'Open issues with a label become tasks, or runs of the crew. Each gets one comment, and its result becomes a pull request. Only people who may write to the repository are heard. It works on all runs until Ctrl-C.',
    examples: [
      ['forge watch', 'watch the forge of the remote origin'],
      ['forge watch --label ready --interval 30', 'with another label, every 30 seconds'],
      ['forge watch --once', 'do all that is to be done now, then end'],
    ],
    choices: { what: ['watch'] },
    common: [...anywhere, ...crew, ...ground, 'maxCoders', 'budgetUsd', 'maxWait'],
    own: [
      ['--remote <name>', 'the remote whose forge is watched (default: origin)'],
      ['--forge <name>', 'the forge, if the URL of the remote does not tell it'],
      new Option(
        '--label <label>',
        'the label of issues that become tasks; with ":run" after it, runs of the crew',
      ).argParser(label),
      new Option('--interval <seconds>', 'how often to look').argParser(pollSeconds),
      ['--once', 'end when all that is asked for is done and told'],
      ['--no-own', 'only talk to the forge; another process does the work'],
    ],
    action: late(
      () => import('../commands/forge/forge.ts'),
      ({ forge }) => forge,
    ),
  })
  command('restore <story>', {
    about: 'put a snapshot of a story on a new branch',
    more: 'Drydock keeps snapshots while it works on a story. The snapshot becomes a new branch; no existing branch or file changes.',
    examples: [
      ['restore parser --list', 'list the snapshots'],
      ['restore parser', 'restore the newest to drydock/restored/parser-<n>'],
      ['restore parser --at 2 --branch old-parser', 'restore the second to a branch that you name'],
    ],
    common: anywhere,
    own: [
      ['--list', 'only list the snapshots'],
      new Option('--at <n>', 'the snapshot (default: the newest)').argParser(snapshotNumber),
      ['--run <id>', 'the run of the story (default: the latest run that has it)'],
      ['--branch <name>', 'name of the new branch (default: drydock/restored/<story>-<n>)'],
    ],
    action: late(
      () => import('../commands/tidy/restore.ts'),
      ({ restore }) => restore,
    ),
  })
  command('budget [id]', {
    about: 'show the budget of a run, or raise it',
    more: 'Without an id it uses the latest unfinished run, or the latest run if all have ended.',
    examples: [
      ['budget', 'show the budget and the cost so far'],
      ['budget --raise 5', 'allow 5 dollars more'],
    ],
    common: byHub,
    own: [
      new Option('--raise <usd>', 'raise the budget by this many dollars').argParser(dollars),
      new Option('--raise-tokens <n>', 'raise the budget by this many tokens').argParser(tokens),
    ],
    action: late(
      () => import('../commands/budget.ts'),
      ({ budget }) => budget,
    ),
  })
  command('serve', {
    about: 'serve the dashboard to your browser and continue all work',
    more: 'It runs until Ctrl-C. The options for models, target, configuration and budget apply to runs that you start in the browser.',
    examples: [
      ['serve', 'print a link to open in the browser'],
      ['serve --no-own', 'only show the work of other processes'],
    ],
    common: [...anywhere, ...crew, ...ground, 'maxCoders', 'budgetUsd'],
    own: [
      new Option('--port <n>', 'the port (default: 4517, or the next free one)').argParser(port),
      ['--no-own', 'only show the work of other processes, and do none'],
      ['--end-sessions', 'first sign out every browser and void every link, for all repositories'],
    ],
    action: late(
      () => import('../commands/serve.ts'),
      ({ serve }) => serve,
    ),
  })
  hubCommands(command)
  command('mcp', {
    about: 'serve the runs to an MCP client over stdin and stdout',
    more: 'An MCP client starts this command. docs/mcp.md shows how to configure the client.',
    examples: [['mcp --repo /home/you/project', 'the command for the configuration of a client']],
    common: ['repo', 'sandbox'],
    action: late(
      () => import('../commands/mcp.ts'),
      ({ mcp }) => mcp,
    ),
  })
  command('acp', {
    about: 'let an editor drive Drydock over the Agent Client Protocol',
    more: 'An editor starts this command. docs/editors.md shows how to configure the editor. The options are the defaults of each session. The work goes on in a process of its own when the editor ends.',
    examples: [
      ['acp', 'the command for the configuration of an editor'],
      ['acp --model anthropic:claude-sonnet-5', 'with a model for every role'],
    ],
    common: ['repo', ...crew, 'target', 'sandbox', 'maxCoders', 'budgetUsd', 'maxWait'],
    own: [['--work <run>', 'work on this run until it rests; `drydock acp` starts this itself']],
    action: late(
      () => import('../commands/acp.ts'),
      ({ acp }) => acp,
    ),
  })
}
