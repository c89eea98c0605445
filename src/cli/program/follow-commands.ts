import { groups } from './command-options.ts'
import { type Declare, late } from './declare-command.ts'

const queries = () => import('../queries.ts')

const { anywhere } = groups

/** The commands that show what is there. None of them changes anything. */
export function followCommands(command: Declare): void {
  command('status [id]', {
    about: 'unfinished and recent runs, or one run with its stories',
    more: 'The list has all that is unfinished, and the 10 runs that ended last. With an id you see one run: what it asks you, and how its stories stand.',
    examples: [
      ['status', 'the runs of this repository'],
      ['status --all', 'also those that ended long ago'],
      ['status durations-1f2e3d', 'one run with its stories'],
    ],
    common: anywhere,
    own: [['--all', 'also the runs that ended before the last 10']],
    action: late(
      () => import('../status.ts'),
      ({ status }) => status,
    ),
  })
  command('watch [id]', {
    about: 'follow a run until it ends',
    more: 'It only looks on: Ctrl-C ends the watching and not the run. Without an id it follows the latest run that is unfinished.',
    examples: [['watch', 'follow the latest unfinished run']],
    common: [...anywhere, 'wait'],
    action: late(queries, (module) => module.watch),
  })
  command('log [id]', {
    about: 'what happened, and what the agents said and did',
    more: 'It names tool calls with their files and commands, and plans when they are handed in. With the run_id of a verification it prints that log.',
    examples: [
      ['log', 'the latest run'],
      ['log -v --lane editor/task/CODING', 'one conversation, in whole'],
    ],
    own: [
      ['-v, --verbose', 'whole messages, arguments and results'],
      ['--lane <name>', 'only one conversation, also named as <run>/<lane>'],
    ],
    common: anywhere,
    action: late(
      () => import('../log.ts'),
      ({ log }) => log,
    ),
  })
  command('diff [id]', {
    about: 'what a run or a story has changed so far',
    more: 'Without an id it is about the latest run that can change anything: a task or a spec.',
    examples: [
      ['diff', 'the change of the latest task or spec'],
      ['diff parser', 'the change of a story of the latest spec'],
    ],
    common: anywhere,
    action: late(queries, (module) => module.diff),
  })
  command('report [id]', {
    about: 'what became of a run or a story',
    more: 'Without an id it is about the latest run that can change anything: a task or a spec.',
    examples: [
      ['report', 'the latest task or spec'],
      ['report parser', 'a story of the latest spec'],
      ['report --json', 'with the cost of each agent, for programs'],
    ],
    common: anywhere,
    action: late(
      () => import('../report/report.ts'),
      ({ report }) => report,
    ),
  })
  command('chat [id]', {
    about: 'what was said in a run, and what it asks you',
    more: 'Without an id it is about the latest spec, or else the latest run. What you post is read by all who work on the run, or on the story. To answer a question use `drydock reply`.',
    examples: [
      ['chat', 'all that was said in the latest run'],
      ['chat --story parser', 'only what was said about a story'],
      ['chat --post "keep the old names"', 'say something to all who work on it'],
    ],
    common: anywhere,
    own: [
      ['--story <id>', 'only the thread of a story'],
      ['--post <text>', 'say something to the run, or to the story'],
    ],
    action: late(
      () => import('../chat.ts'),
      ({ chat }) => chat,
    ),
  })
  command('receipt <what> [commit]', {
    about: 'show or verify the signed receipt of a commit; key prints the public key',
    more: 'A receipt says which verification a merged commit has passed. <what> is show, verify or key. Without a commit it is about HEAD.',
    examples: [
      ['receipt show', 'the receipt of HEAD'],
      ['receipt verify HEAD~2', 'check the signature, and that it fits the commit'],
      ['receipt key', 'print your public key'],
    ],
    common: anywhere,
    choices: { what: ['show', 'verify', 'key'] },
    own: [['--key <file>', 'trust this public key, and no other']],
    action: late(
      () => import('../receipt.ts'),
      ({ receipt }) => receipt,
    ),
  })
}
