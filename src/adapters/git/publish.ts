import { DrydockError } from '../../domain/drydock-error.ts'
import type { Git } from './git.ts'
import { objectId } from './revision.ts'

/** See Workspaces.publish. */
export async function publish(
  { userGit, repository, mirror }: { userGit: Git; repository: string; mirror: string },
  branch: string,
  sha: string,
): Promise<void> {
  const ref = `refs/heads/${branch}`
  const run = (args: readonly string[], exits: readonly number[] = []) =>
    userGit(['-c', 'core.hooksPath=/dev/null', '-c', 'protocol.file.allow=always', ...args], {
      workTree: repository,
      exits,
    })
  const points = async () => {
    const { code, stdout } = await run(['rev-parse', '--quiet', '--verify', ref], [1])
    return code === 0 ? objectId(stdout) : null
  }
  const taken = (at: string) =>
    new DrydockError(
      'git_failed',
      `The branch ${branch} already exists in ${repository} and is at ${at}, not at ${sha}.`,
      {
        todo: `git branch --move ${branch} ${branch}-old, then resume`,
      },
    )

  const before = await points()
  if (before === sha) return
  if (before !== null) throw taken(before)
  const quiet = [
    '--quiet',
    '--no-tags',
    '--no-prune',
    '--no-write-fetch-head',
    '--no-auto-maintenance',
    '--no-recurse-submodules',
  ]
  await run(['fetch', ...quiet, '--update-shallow', mirror, sha])
  try {
    // The zeros ask that it be new, so that a branch which somebody made meanwhile is not overwritten.
    await run(['update-ref', '-m', 'drydock: publish', ref, sha, '0'.repeat(sha.length)])
  } catch (error) {
    const now = await points()
    if (now === null) throw error
    if (now !== sha) throw taken(now)
  }
}
