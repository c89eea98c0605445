import { cp, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EnvironmentVariables } from '../config/environment.ts'
import { temporaryFolders } from '../domain/temporary-folders.ts'
import { shipped } from '../processes/installation.ts'
import { mustRun } from '../processes/run-program.ts'

const examples = shipped('examples')

/** The spec of the demo, and the recorded model that builds it. */
export const demoSpec = join(examples, 'duration-spec.md')
export const demoModel = `replay:${join(examples, 'duration.recording.json')}`

interface DemoPlace {
  /** A temporary folder, with the repository in it. */
  readonly folder: string
  readonly repo: string
}

/** Makes the sample repository of the demo, with one commit. */
export async function makeDemoRepository(env: EnvironmentVariables): Promise<DemoPlace> {
  const folder = await mkdtemp(join(tmpdir(), temporaryFolders.demo))
  const repo = join(folder, 'duration')
  await cp(join(examples, 'duration'), repo, { recursive: true })
  await demoGit(repo, env, ['init', '--quiet', '--initial-branch=main'])
  await demoGit(repo, env, ['add', '--all'])
  const author = ['-c', 'user.name=Drydock demo', '-c', 'user.email=demo@localhost']
  await demoGit(repo, env, [...author, 'commit', '--quiet', '--message=Durations as people write them'])
  return { folder, repo }
}

/**
 * Runs git with neither the user's configuration nor, if a git hook started this process, the
 * hook's repository.
 */
export function demoGit(repo: string, given: EnvironmentVariables, args: readonly string[]): Promise<string> {
  const env = Object.fromEntries(Object.entries(given).filter(([name]) => !name.startsWith('GIT_')))
  const plain = { ...env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
  return mustRun('git', ['-C', repo, ...args], { env: plain })
}
