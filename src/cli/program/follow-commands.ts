import { groups } from './command-options.ts'
import { type Declare, late } from './declare-command.ts'

const queries = () => import('../commands/queries.ts')

const { anywhere, byHub } = groups

/** Declares the commands that show runs, and change nothing. */
export function followCommands(command: Declare): void {
  command('status [id]', {
    about: 'list unfinished and recent runs, or show one run with its stories',
    more: 'The list has all unfinished runs and the 10 that ended last. With an id it shows one run, with its open questions and the states of its stories.',
    examples: [
      ['status', 'list the runs of this repository'],
      ['status --all', 'list older runs, too'],
      ['status durations-1f2e3d', 'show one run with its stories'],
    ],
    common: byHub,
    own: [['--all', 'also list runs that ended before the last 10']],
    action: late(
      () => import('../commands/status.ts'),
      ({ status }) => status,
    ),
  })
  command('watch [id]', {
    about: 'follow a run until it ends',
    more: 'It only watches: Ctrl-C does not end the run. Without an id it follows the latest unfinished run.',
    examples: [['watch', 'follow the latest unfinished run']],
    common: [...byHub, 'wait'],
    action: late(queries, (module) => module.watch),
  })
  command('log [id]', {
    about: 'show events, and what the agents said and did',
    more: 'It shows tool calls with their files and commands, and each plan that is handed in. With the run_id of a verification it prints the log of that verification.',
    examples: [
      ['log', 'show the latest run'],
      ['log -v --lane editor/task/CODING', 'show one whole conversation'],
    ],
    own: [
      ['-v, --verbose', 'show whole messages, arguments and results'],
      ['--lane <name>', 'show only this conversation: <lane> or <run>/<lane>'],
      ['--files <folder>', 'write all files of a verification into this folder'],
    ],
    common: byHub,
    action: late(
      () => import('../commands/log.ts'),
      ({ log }) => log,
    ),
  })
  command('diff [id]', {
    about: 'show the changes of a run or a story so far',
    more: 'Without an id it uses the latest task or spec.',
    examples: [
      ['diff', 'show the change of the latest task or spec'],
      ['diff parser', 'show the change of a story of the latest spec'],
    ],
    common: byHub,
    action: late(queries, (module) => module.diff),
  })
  command('report [id]', {
    about: 'show the result of a run or a story',
    more: 'Without an id it uses the latest task or spec.',
    examples: [
      ['report', 'report on the latest task or spec'],
      ['report parser', 'report on a story of the latest spec'],
      ['report --json', 'report as JSON, with the cost of each agent'],
    ],
    common: byHub,
    action: late(
      () => import('../commands/report.ts'),
      ({ report }) => report,
    ),
  })
  command('trace [id]', {
    about: 'export the trace of a run to OpenTelemetry',
    more: 'It sends spans and metrics to the collector that your configuration or OTEL_EXPORTER_OTLP_ENDPOINT names. With --out it writes them as OTLP JSON. Sending a run twice changes nothing: its ids are always the same. Without an id it uses the latest run.',
    examples: [
      ['trace', 'send the latest run to the collector'],
      ['trace durations-1f2e3d --out trace.json', 'write a file'],
      ['trace --out -', 'print it'],
    ],
    common: anywhere,
    own: [['--out <file>', 'write OTLP JSON to a new file, or with - to stdout']],
    action: late(
      () => import('../commands/trace.ts'),
      ({ trace }) => trace,
    ),
  })
  command('chat [id]', {
    about: 'show the messages and questions of a run',
    more: 'Without an id it uses the latest spec, or the latest run if there is no spec. All agents that work on the run or the story read what you post. To answer a question, use `drydock reply`.',
    examples: [
      ['chat', 'show all messages of the latest run'],
      ['chat --story parser', 'show only the thread of a story'],
      ['chat --post "keep the old names"', 'write to all agents of the run'],
    ],
    common: byHub,
    own: [
      ['--story <id>', 'show only the thread of this story'],
      ['--post <text>', 'write to the agents of the run or the story'],
    ],
    action: late(
      () => import('../commands/chat.ts'),
      ({ chat }) => chat,
    ),
  })
  command('receipt <what> [commit]', {
    about: 'show or verify the signed receipt of a commit, or print your public key',
    more: 'A receipt says which verification a merged commit has passed. <what> is show, verify or key. The default commit is HEAD.',
    examples: [
      ['receipt show', 'show the receipt of HEAD'],
      ['receipt verify HEAD~2', 'check the signature and that it fits the commit'],
      ['receipt key', 'print your public key'],
    ],
    common: anywhere,
    choices: { what: ['show', 'verify', 'key'] },
    own: [['--key <file>', 'trust only this public key']],
    action: late(
      () => import('../commands/receipt.ts'),
      ({ receipt }) => receipt,
    ),
  })
}
