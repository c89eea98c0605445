import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import type { PushTarget } from '../../../ports/remotes.ts'
import type { Git } from '../git.ts'
import type { GitParts } from '../git-parts.ts'
import { credentialSettings } from './credential-settings.ts'
import { refusedPush } from './refused-push.ts'

/** Git that talks to one remote, with the user's configuration and without hooks. */
export type RemoteGit = (args: readonly string[]) => Promise<string>

export function talkingTo(
  remoteGit: Git,
  repository: string,
  { url, credentials, authorities = null }: PushTarget,
): RemoteGit {
  let settings: Promise<Record<string, string>> | undefined

  /**
   * A server refuses two Authorization headers, and CI leaves one in the repository's
   * configuration.
   */
  async function readSettings(): Promise<Record<string, string>> {
    if (credentials === null) return {}
    const args = ['config', '--get-urlmatch', 'http.extraHeader', url]
    const { stdout } = await remoteGit(args, { workTree: repository, exits: [1] })
    return credentialSettings(credentials, {
      url,
      isAuthorized: /^authorization:/i.test(stdout.toString('utf8')),
      authorities,
    })
  }

  return async (args) => {
    settings ??= readSettings()
    const environment = await settings
    const options = { workTree: repository, environment, signal: AbortSignal.timeout(limits.forge.pushMs) }
    try {
      return (await remoteGit(['-c', 'core.hooksPath=/dev/null', ...args], options)).stdout.toString('utf8')
    } catch (error) {
      throw isStale(error) ? error : refusedPush(error, url)
    }
  }
}

/** The object of a ref at a remote; null if the ref does not exist. */
export async function placeOf(run: RemoteGit, url: string, ref: string): Promise<string | null> {
  const lines = (await run(['ls-remote', '--end-of-options', url, ref])).split('\n')
  return lines.find((line) => line.endsWith(`\t${ref}`))?.split('\t')[0] ?? null
}

interface Push {
  readonly ref: string
  readonly from: string | null
  readonly to: string
}

/** A push that changes the ref only if it has not moved. */
export function pushing(url: string, { ref, from, to }: Push): readonly string[] {
  const quiet = ['--quiet', '--no-verify', '--no-signed', '--no-follow-tags', '--recurse-submodules=no']
  return ['push', ...quiet, `--force-with-lease=${ref}:${from ?? ''}`, '--end-of-options', url, `${to}:${ref}`]
}

/** Copies a commit of the mirror into the user's repository. */
export async function fetchFromMirror({ userGit, layout, repository }: GitParts, sha: string): Promise<void> {
  const quiet = ['--quiet', '--no-tags', '--no-prune', '--no-write-fetch-head', '--no-auto-maintenance']
  const settings = ['-c', 'core.hooksPath=/dev/null', '-c', 'protocol.file.allow=always']
  const args = [...settings, 'fetch', ...quiet, '--no-recurse-submodules', '--update-shallow', layout.mirror, sha]
  await userGit(args, { workTree: repository })
}

/** True if the push failed because the ref had moved. */
export function isStale(error: unknown): boolean {
  return (
    error instanceof DrydockError && /\[rejected\]|stale info|cannot lock ref|failed to update ref/.test(error.message)
  )
}
