import { Option } from 'commander'
import { ciServices } from '../../domain/ci/ci-event.ts'
import { groups, outdated, repeatable } from './command-options.ts'
import { type Declare, late } from './declare-command.ts'

const start = () => import('../commands/start/start.ts')
const ci = () => import('../commands/ci/ci-command.ts')
const spec = () => import('../commands/start/run-spec.ts')
const interview = () => import('../commands/start/interview.ts')

const { anywhere, byHub, crew, ground } = groups

/** Declares the commands that start work. */
const acceptanceTests = [
  '--acceptance-tests <folder>',
  'a folder of tests that no agent sees, and that must pass as well',
] as const

export function workCommands(command: Declare): void {
  command('run [spec...]', {
    about: 'build a spec with a crew: a file, - for standard input, or a line of text',
    more: 'An architect splits the spec into stories. Editors build them in parallel. Each story is reviewed and verified before it is merged. The result is a branch. Run the same spec again to continue it or to see its result.',
    examples: [
      ['run spec.md', 'build the spec in a file'],
      ['run "add an option for quiet output"', 'build a line of text'],
      ['run spec.md --review-stories', 'ask you before it starts any story'],
      ['run spec.md --budget-usd 10', 'stop at 10 dollars'],
    ],
    common: [
      ...byHub,
      ...crew,
      ...ground,
      'maxCoders',
      'priority',
      'budgetUsd',
      'maxWait',
      'allowFailing',
      'wait',
      'record',
      'ui',
    ] as const,
    own: [
      ['--review-stories', 'wait for your approval before it starts the stories'],
      outdated(new Option('--plan <file>', 'build the stories in a file from `plan --output`')),
      ['--as-is', 'build the spec even if the architect finds it too vague'],
      ['--again', 'start over'],
    ],
    action: late(spec, (module) => module.runSpec),
  })
  command('spec [text...]', {
    about: 'write a spec together: the architect asks, you decide',
    more: 'Say in a sentence what you want, or name a file with a vague spec. The architect reads the repository and asks you what it cannot decide. The result is a spec file, which you edit and then build. Answer here, in the dashboard or with `drydock reply`.',
    examples: [
      ['spec "durations should understand weeks"', 'answer questions, then get durations-…-spec.md'],
      ['spec "add an export" -o export.md', 'name the file'],
      ['spec vague.md', 'make a better spec of a vague one'],
      ['spec --continue', 'continue the latest interview, or write its spec again'],
    ],
    common: [
      ...anywhere,
      'model',
      'architectModel',
      'scoutModel',
      ...ground,
      'budgetUsd',
      'maxWait',
      'wait',
      'record',
      'ui',
    ] as const,
    own: [
      ['-o, --output <file>', 'the file for the spec (default: a name made from the text)'],
      ['--overwrite', 'replace that file if it exists'],
      ['--continue', 'continue the latest interview'],
      ['--again', 'start over'],
    ],
    action: late(interview, (module) => module.interview),
  })
  command('plan [spec...]', {
    about: 'split a spec into stories without building them',
    more: 'It takes a spec as `drydock run` does and prints the stories. `plan edit` opens the stories of the last plan, or of the run that you name, in your editor; while they are built, those that nobody has begun. `plan build` is the way to build a plan: the last one, or the one that you name, with the options that the plan was given.',
    examples: [
      ['plan spec.md', 'print the stories'],
      ['plan edit', 'edit them in $VISUAL or $EDITOR'],
      ['plan edit --output plan.json', 'write them to a file instead'],
      ['plan edit --from plan.json', 'take them from a file that you have edited'],
      ['plan build', 'build them'],
      ['plan build --from plan.json', 'take them from a file that you have edited, and build them'],
    ],
    common: [
      ...byHub,
      ...crew,
      ...ground,
      'maxCoders',
      'budgetUsd',
      'maxWait',
      'allowFailing',
      'wait',
      'record',
      'ui',
    ] as const,
    own: [
      ['--output <file>', 'write the stories to a new file that you can edit'],
      ['--from <file>', 'with `edit` and `build`: take the stories from this file'],
      ['--as-is', 'split the spec even if the architect finds it too vague'],
      ['--again', 'start over'],
    ],
    action: late(spec, (module) => module.plan),
  })
  command('task [text...]', {
    about: 'make one verified change; the result is a branch',
    more: 'One editor plans and makes one change, which the gate verifies. With --review, an architect approves its plan and its change; with --review-plan, you approve its plan. Give the text on the command line, on standard input (-) or in a file (--file-text). Only --apply touches your working tree.',
    examples: [
      ['task "fix the login timeout"', 'make the change on a branch'],
      ['task "replace the cache" --review', 'with an architect who reviews it'],
      ['task "replace the cache" --review-plan', 'approve or change its plan first'],
      ['task "round prices" --criterion "2.345 becomes 2.35" --acceptance', 'have the criterion tested unseen'],
      ['task "rename the flag" --dry-run', 'print the change as a diff'],
      ['task "fix the parser" --file src/parse.ts', 'read this file first'],
      ['task --file-text task.md', 'read the text of the task from a file'],
      ['task - < task.md', 'read it from standard input'],
    ],
    common: [
      ...byHub,
      ...crew,
      ...ground,
      'maxCoders',
      'priority',
      'budgetUsd',
      'maxWait',
      'allowFailing',
      'wait',
      'record',
      'ui',
    ] as const,
    own: [
      ['--review', 'an architect reviews the plan and the change, and answers the editor'],
      ['--review-plan', 'wait for your approval of the plan before any file changes'],
      ['--acceptance', 'an architect writes tests of the criteria that the editor does not see'],
      ['--dry-run', 'print the change as a diff; write and verify nothing'],
      ['--apply', 'put the verified change into the working tree, uncommitted, instead of on a branch'],
      ['--file-text <file>', 'read the text of the task from a file'],
      repeatable('--criterion <text>', 'how to tell that the task is done'),
      acceptanceTests,
      repeatable('--constraint <text>', 'something that must hold'),
      repeatable('--non-goal <text>', 'something to leave alone'),
      repeatable('--file <path>', 'a file to look at first'),
      outdated(repeatable('--accept <finding>', 'accept this gate finding, or no_change')),
      outdated(new Option('--run <id>', 'the task that --accept refers to (default: the last one)')),
    ],
    action: late(start, (module) => module.task),
  })
  command('schedule <what> [schedule] [spec]', {
    about: 'start a spec or a task at set times: add, list, pause, resume or remove',
    more: 'Schedules start runs while `drydock serve` runs. If several times have passed meanwhile, one run starts. A time is skipped if the run before has not ended. The spec is read each time. `schedule add` shows the next three times.',
    examples: [
      ['schedule add "0 6 * * 1" spec.md', 'build a spec on Mondays at 6:00'],
      ['schedule add @daily --task "update the dependencies"', 'do a task every night'],
      ['schedule list', 'show the schedules and their next times'],
      ['schedule pause spec-1a2b', 'start nothing until `schedule resume`'],
      ['schedule remove spec-1a2b', 'end a schedule; its runs stay'],
    ],
    choices: { what: ['add', 'list', 'pause', 'resume', 'remove'] },
    common: [...byHub, ...crew, 'target', 'config', 'priority', 'budgetUsd', 'maxWait'],
    own: [
      ['--task <text>', 'a task instead of a spec'],
      ['--timezone <name>', 'time zone, such as Europe/Berlin (default: that of this machine)'],
      ['--as-is', 'build the spec even if the architect finds it too vague'],
    ],
    action: late(
      () => import('../commands/schedule.ts'),
      ({ schedule }) => schedule,
    ),
  })
  command('verify [commit]', {
    about: 'run only the steps of the gate, on a commit or the working tree',
    more: 'It runs the steps as the gate does: in a clean checkout, without network. It calls no model. Without a commit it verifies the working tree as it is now. What the gate tries of a change beside the steps (its findings, the old tests, failing tests, the lines that no test holds) needs a base to compare with: `drydock ci --base main` tries it.',
    examples: [
      ['verify', 'verify the working tree, with uncommitted changes'],
      ['verify HEAD~1', 'verify a commit'],
      ['verify --config new.json', 'try another configuration'],
      ['verify --acceptance-tests ../accept', 'with tests that lie outside of the repository'],
    ],
    common: [...anywhere, ...ground, 'wait'],
    own: [acceptanceTests],
    action: late(start, (module) => module.verify),
  })
  command('ci [what] [service]', {
    about: 'check a pull request in CI: the gate, the receipts, annotations and a summary',
    more: 'It finds base and head in the environment of GitHub Actions, GitLab CI, Forgejo or Gitea Actions, and verifies the merge of both with the configuration of the base. `ci init` writes the workflow file. It calls no model.',
    examples: [
      ['ci', 'in a pipeline'],
      ['ci --base origin/main', 'the same check on your machine'],
      ['ci --require-receipts --key key.pem', 'accept only commits with a proven receipt'],
      ['ci init github', 'write .github/workflows/drydock.yml'],
    ],
    choices: { what: ['init'], service: [...ciServices] },
    common: [...anywhere, 'sandbox'],
    own: [
      ['--base <commit>', 'the commit to compare with, instead of what the pipeline says'],
      ['--head <commit>', 'with --base: the commit to check (default: HEAD)'],
      acceptanceTests,
      ['--require-receipts', 'fail if a commit has no proven receipt'],
      repeatable('--key <file>', 'trust only the receipts of this public key; a file outside of the checkout'),
      new Option('--findings <how>', 'whether open findings of the gate fail the check (default: fail)').choices([
        'fail',
        'warn',
      ]),
      repeatable('--accept <finding>', 'accept this finding of the gate'),
      ['--codequality <file>', 'write a code quality report for GitLab'],
      ['--junit <file>', 'write the test results as a JUnit report'],
      ['--from <url>', 'with init: the repository of Drydock that the pipeline installs from'],
      ['--commit <sha>', 'with init: the commit of Drydock that it installs'],
    ],
    action: late(ci, (module) => module.ciCommand),
  })
  command('scout <kind> <question...>', {
    about: 'ask a read-only scout: codebase or build',
    more: 'The codebase scout explains where and how to change the code. The build scout explains building, testing and failures. Both only read files.',
    examples: [
      ['scout codebase "where is auth handled?"', 'ask about the code'],
      ['scout build "why does the lint step fail?"', 'ask about a failure'],
    ],
    choices: { kind: ['codebase', 'build'] },
    common: [...anywhere, 'model', 'scoutModel', ...ground, 'budgetUsd', 'maxWait', 'wait', 'record'],
    action: late(start, (module) => module.scout),
  })
}
