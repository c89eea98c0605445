import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Git } from '../git.ts'
import { objectId } from '../revision.ts'

export interface Signing {
  /** File of an SSH key, absolute. */
  readonly key: string
  /** Socket of the SSH agent that may hold the private key. */
  readonly agent: string | undefined
}

interface Committing {
  readonly gitDir: string
  readonly environment: Readonly<Record<string, string>>
  readonly input: string
  readonly args: readonly string[]
}

/** Makes a commit with a signature that git and forges understand. */
export async function signCommit(git: Git, { key, agent }: Signing, committing: Committing): Promise<string> {
  const { args, environment, ...options } = committing
  const settings = ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${key}`]
  const asked = { ...options, environment: { ...environment, ...(agent !== undefined && { SSH_AUTH_SOCK: agent }) } }
  try {
    return objectId((await git([...settings, ...args, '--gpg-sign'], asked)).stdout)
  } catch (error) {
    if (!(error instanceof DrydockError) || error.code !== 'git_failed') throw error
    throw new DrydockError('signing_failed', `The commit could not be signed with ${key}. ${error.message}`, {
      todo: '`commit.signing` must name an SSH key without a passphrase, or one that your SSH agent has (ssh-add). Correct it, then continue: drydock resume, or the same command again',
      cause: error,
    })
  }
}
