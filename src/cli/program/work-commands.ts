import { groups, repeatable } from './command-options.ts'
import { type Declare, late } from './declare-command.ts'

const start = () => import('../start/start.ts')
const spec = () => import('../start/run-spec.ts')

const { anywhere, models, crew, ground } = groups

/** The commands that start work. */
export function workCommands(command: Declare): void {
  command('run [spec...]', {
    about: 'build a spec with a crew: a file, - for what is piped in, or a line of text',
    more: 'An architect splits the spec into stories, editors build them side by side, and each is reviewed and verified before it is merged. The result is a branch. Run the same spec again to continue it, or to see its result.',
    examples: [
      ['run spec.md', 'build what the file says'],
      ['run "add an option for quiet output"', 'build a line of text'],
      ['run spec.md --review-stories', 'ask you before any story is started'],
      ['run spec.md --budget-usd 10', 'stop at 10 dollars'],
      ['run spec.md --plan plan.json', 'build stories that `drydock plan --output` wrote'],
    ],
    common: [...anywhere, ...crew, ...ground, 'maxCoders', 'budgetUsd', 'maxWait', 'wait', 'record', 'ui'],
    own: [
      ['--review-stories', 'stop before the stories are started, until you approve them'],
      ['--plan <file>', 'build the stories of a file, as `plan --output` writes it'],
      ['--again', 'build again from scratch'],
    ],
    action: late(spec, (module) => module.runSpec),
  })
  command('plan [spec...]', {
    about: 'split a spec into stories, and build none of them',
    more: 'It takes a spec as `drydock run` does and prints the stories. With --output they are written into a file, which you can edit and then build.',
    examples: [
      ['plan spec.md', 'print the stories'],
      ['plan spec.md --output plan.json', 'write them into a file, to be edited'],
    ],
    common: [...anywhere, 'model', 'architectModel', 'scoutModel', ...ground, 'budgetUsd', 'maxWait', 'wait', 'record'],
    own: [
      ['--output <file>', 'write them into a new file, to be edited'],
      ['--again', 'plan again from scratch'],
    ],
    action: late(spec, (module) => module.planSpec),
  })
  command('task [text...]', {
    about: 'plan, change and verify; the result is a branch',
    more: 'One editor makes one change and no architect is asked. The text is what you say, what is piped in (-), or a file (--file-text). Your working tree is not touched, unless you say --apply.',
    examples: [
      ['task "fix the login timeout"', 'the change, verified, on a branch'],
      ['task "rename the flag" --dry-run', 'the change as a diff'],
      ['task "fix the parser" --file src/parse.ts', 'look at a file first'],
      ['task --file-text task.md', 'the text of the task is in a file'],
      ['task - < task.md', 'the same, piped in'],
    ],
    common: [...anywhere, ...models, ...ground, 'maxCoders', 'budgetUsd', 'maxWait', 'wait', 'record', 'ui'],
    own: [
      ['--dry-run', 'print the change as a diff; write and verify nothing'],
      ['--apply', 'leave the verified change in the working tree, uncommitted, instead of on a branch'],
      ['--file-text <file>', 'read the text of the task from a file'],
      repeatable('--constraint <text>', 'something that must hold'),
      repeatable('--non-goal <text>', 'something to leave alone'),
      repeatable('--file <path>', 'a file to look at first'),
      repeatable(
        '--accept <finding>',
        'accept this finding of the gate, or no_change; without a text, of the last task',
      ),
      ['--run <id>', 'with --accept and no text: the task that is meant'],
    ],
    action: late(start, (module) => module.task),
  })
  command('verify [commit]', {
    about: 'run only the gate, on a commit or the working tree',
    more: 'The gate is the same that decides about every change. It calls no model. Without a commit it verifies the files as they are now.',
    examples: [
      ['verify', 'the working tree, with what is not committed'],
      ['verify HEAD~1', 'a commit'],
      ['verify --config new.json', 'try another configuration'],
    ],
    common: [...anywhere, ...ground, 'wait'],
    action: late(start, (module) => module.verify),
  })
  command('scout <kind> <question...>', {
    about: 'ask a read-only scout: codebase or build',
    more: 'A scout for the codebase reads the files. A scout for the build may run commands, too. Neither changes anything.',
    examples: [
      ['scout codebase "where is auth handled?"', 'an answer from the files'],
      ['scout build "why does the lint step fail?"', 'an answer from running commands'],
    ],
    choices: { kind: ['codebase', 'build'] },
    common: [...anywhere, 'model', 'scoutModel', ...ground, 'budgetUsd', 'maxWait', 'wait', 'record'],
    action: late(start, (module) => module.scout),
  })
}
