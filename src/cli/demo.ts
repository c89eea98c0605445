import { execFile } from 'node:child_process'
import { cp, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { CommonOptions, Context } from './context.ts'
import { paintDiff } from './paint-diff.ts'
import { shellWord } from './shell-word.ts'
import { task } from './start.ts'

const examples = fileURLToPath(new URL('../../examples/', import.meta.url))

const text = 'Fix the carry in format: 59,999 ms is shown as "60s" instead of "1m".'

/** The main job on a sample repository, with a recorded model and everything else real. */
export async function demo(context: Context, _args: readonly string[], options: CommonOptions): Promise<number> {
  const { output, terminal } = context
  output.note('The model is recorded; everything else is real: git, the sandbox, the tests.')
  const folder = await mkdtemp(join(tmpdir(), 'drydock-demo-'))
  const repo = join(folder, 'duration')
  await cp(join(examples, 'duration'), repo, { recursive: true })
  await commitAll(repo)
  output.note(`Repository: ${repo}\n`)
  const env = { ...terminal.env, DRYDOCK_HOME: join(folder, 'state'), XDG_CONFIG_HOME: join(folder, 'config') }
  const model = `replay:${join(examples, 'duration.recording.json')}`
  const demonstrated = { ...context, terminal: { ...terminal, env } }
  const exitCode = await task(demonstrated, [text], {
    ...(options.json && { json: true }),
    ...{
      repo,
      model,
      constraint: ['format keeps rounding to the nearest second'],
      nonGoal: ['parse stays as it is'],
    },
  })
  if (exitCode === 0 && !output.json) await showChange(context, repo)
  return exitCode
}

async function commitAll(repo: string): Promise<void> {
  await git(repo, ['init', '--quiet', '--initial-branch=main'])
  await git(repo, ['add', '--all'])
  const author = ['-c', 'user.name=Drydock demo', '-c', 'user.email=demo@localhost', '-c', 'commit.gpgsign=false']
  await git(repo, [...author, 'commit', '--quiet', '--no-verify', '--message=Durations as people write them'])
}

async function showChange({ output }: Context, repo: string): Promise<void> {
  const [branch = ''] = (await git(repo, ['for-each-ref', '--format=%(refname:short)', 'refs/heads/drydock/'])).split(
    '\n',
  )
  output.say(`\n${paintDiff(output.screen, await git(repo, ['diff', `main..${branch}`]))}`)
  const state = `DRYDOCK_HOME=${shellWord(join(dirname(repo), 'state'))}`
  output.say(`\nLook around:\n  cd ${shellWord(repo)}\n  git log --patch ${branch}\n  ${state} drydock log`)
}

async function git(repo: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['-C', repo, ...args])
  return stdout
}
