import { join } from 'node:path'
import { shellWord } from '../../app/text/shell-word.ts'
import { demoGit, demoModel, demoSpec, makeDemoRepository } from '../../compose/demo-repository.ts'
import { shipped } from '../../processes/installation.ts'
import type { CommonOptions, Context } from '../context.ts'
import type { Terminal } from '../screen/output.ts'
import { runSpec } from './start/run-spec.ts'

const bin = shipped('bin')

/** Milliseconds for which people can read the question until the recorded human answers it. */
const answerDelayMs = 4_000

interface DemoOptions {
  /** True if a person must answer the question. */
  readonly interactive?: boolean
}

interface Place {
  readonly env: Terminal['env']
  readonly repo: string
  readonly state: string
}

/**
 * Builds a spec in a sample repository with a crew. The model's replies are recorded; everything
 * else is real.
 */
export async function demo(
  context: Context,
  _args: readonly string[],
  { json = false, interactive = false, ui }: CommonOptions & DemoOptions,
): Promise<number> {
  const { output, terminal } = context
  const { folder, repo } = await makeDemoRepository(terminal.env)
  const place = { env: terminal.env, repo, state: join(folder, 'state') }
  output.note(opening(place, { spec: demoSpec, interactive }))
  const own = { DRYDOCK_HOME: place.state, DRYDOCK_DATABASE_URL: '', XDG_CONFIG_HOME: join(folder, 'config') }
  const env = { ...terminal.env, ...own }
  const exitCode = await runSpec(
    { ...context, terminal: { ...terminal, env } },
    [demoSpec],
    {
      repo: place.repo,
      model: demoModel,
      maxCoders: 2,
      json,
      ...(ui !== undefined && { ui }),
      ...(interactive && { wait: true }),
    },
    { delayMs: answerDelayMs, interactive },
  )
  if (exitCode !== 0) output.note(`\nEverything is here:\n${goThere(place)}`)
  else if (!output.json) output.say(await ending(context, place))
  return exitCode
}

function opening(
  place: Place,
  { spec, interactive }: { readonly spec: string; readonly interactive: boolean },
): string {
  const asked = interactive
    ? ['It will ask you a question. Answer it in another terminal, after:', goThere(place)]
    : [
        `It will ask a question. A recorded human answers after ${answerDelayMs / 1_000} s;`,
        'with --interactive it waits for you.',
      ]
  return [
    'The model is recorded. Git, the sandbox, the tests and the merges are real.',
    ...asked,
    '',
    `Spec:        ${spec}`,
    `Repository:  ${place.repo}`,
    '',
  ].join('\n')
}

/** Shell commands after which `drydock` means this program, in the demo's repository. */
function goThere({ repo, state }: Place): string {
  return `  cd ${shellWord(repo)}\n  export DRYDOCK_HOME=${shellWord(state)} PATH=${shellWord(bin)}:$PATH`
}

async function ending({ output: { screen } }: Context, place: Place): Promise<string> {
  const branch = (
    await demoGit(place.repo, place.env, ['for-each-ref', '--format=%(refname:short)', 'refs/heads/drydock/'])
  ).trim()
  const commits = (await demoGit(place.repo, place.env, ['log', '--oneline', '--reverse', `main..${branch}`]))
    .trimEnd()
    .split('\n')
  return [
    '',
    screen.paint('strong', `git log --oneline --reverse main..${branch}`),
    ...commits.map((line) => `  ${screen.fit(line, 2)}`),
    '',
    'Look further:',
    goThere(place),
    ...[
      [`git show ${branch}~2`, 'the story that had a conflict'],
      ['drydock report', 'the result of each story'],
      ['drydock chat', 'the question and its answer'],
      ['drydock log', 'everything that happened'],
      ['drydock serve', 'all of it in a browser'],
    ].map(([command = '', about]) => `  ${command.padEnd(34)}${about}`),
  ].join('\n')
}
